import FluxCapacitor
import Foundation
import Testing

/// V7, and what is released when.
struct LifetimeTests {
  /// Counts the probes that are alive.
  final class Census: Sendable {
    let living = Counter()
    func probe() -> Probe {
      living.add()
      return Probe { [living] in living.add(-1) }
    }
  }

  let census = Census()

  private func observe<Element>(
    _ variable: Variable<Element>,
    on queue: ExecuteQueue = .current,
    ignoreFirst: Bool = false
  ) -> Dust {
    let probe = census.probe()
    return variable.observe(on: queue, ignoreFirst: ignoreFirst) { _ in
      withExtendedLifetime(probe) {}
    }
  }

  @Test func cleanReleasesTheClosureAtOnce() {
    let variable = Variable(0)
    let dust = observe(variable)
    #expect(census.living.value == 1)
    dust.clean()
    #expect(census.living.value == 0)
  }

  @Test func variableThatGoesReleasesTheClosuresOfDustThatWasDropped() {
    do {
      let variable = Variable(0)
      let constant = Constant(variable)
      _ = observe(variable)
      _ = observe(variable, on: .queue(DispatchQueue(label: "queue")), ignoreFirst: true)
      withExtendedLifetime(constant) {}
    }
    #expect(census.living.value == 0)
  }

  @Test func constantKeepsTheObservationGoing() {
    var variable: Variable<Int>? = Variable(0)
    let constant = Constant(variable!)
    _ = observe(variable!)
    variable = nil
    #expect(census.living.value == 1)
    #expect(constant.value == 0)
  }

  @Test func cleanInsideACallReleasesTheClosureWhenItHasEnded() {
    let variable = Variable(0)
    let dust = Box<Dust?>(nil)
    do {
      let probe = census.probe()
      dust.value = variable.observe(ignoreFirst: true) { [census] _ in
        dust.value?.clean()
        #expect(census.living.value == 1)
        withExtendedLifetime(probe) {}
      }
    }
    variable.value = 1
    #expect(census.living.value == 0)
    dust.value = nil
  }

  @Test func variableDroppedInsideItsOwnCallReleasesEverything() {
    let holder = Box<Variable<Int>?>(Variable(0))
    do {
      let probe = census.probe()
      _ = holder.value!.observe(ignoreFirst: true) { value in
        if value == 1 {
          holder.value!.value = 2
          holder.value = nil
        }
        withExtendedLifetime(probe) {}
      }
    }
    holder.value!.value = 1
    #expect(census.living.value == 0)
  }

  @Test func variableDroppedInsideItsFirstCallReleasesEverything() {
    let holder = Box<Variable<Int>?>(Variable(0))
    do {
      let probe = census.probe()
      _ = holder.value!.observe { _ in
        holder.value = nil
        withExtendedLifetime(probe) {}
      }
    }
    #expect(census.living.value == 0)
  }

  @Test func variableDroppedInsideATransactionThatWroteItIsToldAndReleased() {
    let log = Log<Int>()
    Dispatcher().transaction {
      let variable = Variable(0)
      let probe = census.probe()
      _ = variable.observe(ignoreFirst: true) { value in
        log.append(value)
        withExtendedLifetime(probe) {}
      }
      variable.value = 1
    }
    #expect(log.entries == [1])
    #expect(census.living.value == 0)
  }

  @Test func variableDroppedWhileAnotherThreadsWriteIsHeldBackIsToldAndReleased() {
    let log = Log<Int>()
    Dispatcher().transaction {
      let variable = Variable(0)
      let probe = census.probe()
      _ = variable.observe(ignoreFirst: true) { value in
        log.append(value)
        withExtendedLifetime(probe) {}
      }
      variable.value = 1
      Worker { variable.value = 2 }.join()
    }
    #expect(log.entries == [1, 2])
    #expect(census.living.value == 0)
  }

  @Test func observationOnAQueueIsReleased() {
    let queue = DispatchQueue(label: "queue", attributes: .concurrent)
    do {
      let variable = Variable(0)
      let dust = observe(variable, on: .queue(queue))
      _ = observe(variable, on: .queue(queue))
      for value in 1...100 { variable.value = value }
      dust.clean()
    }
    queue.sync(flags: .barrier) {}
    queue.sync(flags: .barrier) {}
    #expect(eventually { census.living.value == 0 })
  }

  @Test func valuesAreReleasedWhenTheyHaveBeenToldAndReplaced() {
    let queue = DispatchQueue(label: "queue")
    let variable = Variable<Probe?>(nil)
    let bag = DustBuster()
    variable.observe { _ in }.cleaned(by: bag)
    variable.observe(on: .queue(queue)) { _ in }.cleaned(by: bag)
    variable.observe(ignoreFirst: true) { [census] value in
      if value != nil, census.living.value < 50 { variable.value = census.probe() }
    }.cleaned(by: bag)
    variable.value = census.probe()
    Dispatcher().transaction {
      variable.value = census.probe()
      Worker { [census] in variable.value = census.probe() }.join()
      variable.value = census.probe()
    }
    variable.value = nil
    queue.sync {}
    queue.sync {}
    #expect(eventually { census.living.value == 0 })
    bag.clean()
  }

  @Test func bagReleasedInsideACallCleans() {
    let variable = Variable(0)
    let bag = Box<DustBuster?>(DustBuster())
    let calls = Counter()
    let first = variable.observe(ignoreFirst: true) { _ in bag.value = nil }
    variable.observe(ignoreFirst: true) { _ in calls.add() }.cleaned(by: bag.value!)
    observe(variable, ignoreFirst: true).cleaned(by: bag.value!)
    variable.value = 1
    #expect(calls.value == 0)
    #expect(census.living.value == 0)
    first.clean()
  }

  @Test func bagIsUsableAgainAndTakesInWhatIsAddedWhileItIsCleaned() {
    let variable = Variable(0)
    let bag = DustBuster()
    let log = Log<Int>()
    do {
      let probe = Probe { variable.observe(ignoreFirst: true) { log.append($0) }.cleaned(by: bag) }
      variable.observe(ignoreFirst: true) { _ in withExtendedLifetime(probe) {} }.cleaned(by: bag)
    }
    bag.clean()
    variable.value = 1
    #expect(log.entries == [1])
    bag.clean()
    variable.value = 2
    #expect(log.entries == [1])
  }

  @Test func storeIsNotKeptByItsObservers() {
    let dispatcher = Dispatcher()
    weak var weakStore: Plain.Store?
    do {
      let store = withDispatcher(dispatcher) { Plain.Store.instantiate() }
      weakStore = store
      let probe = census.probe()
      _ = store.x.observe { _ in withExtendedLifetime(probe) {} }
      dispatcher.dispatch(Plain.State.set(1))
    }
    #expect(weakStore == nil)
    #expect(census.living.value == 0)
  }

  @Test func dispatcherIsReleasedWithItsStores() {
    weak var weakDispatcher: Dispatcher?
    do {
      let dispatcher = Dispatcher()
      weakDispatcher = dispatcher
      let store = withDispatcher(dispatcher) { Plain.Store.instantiate() }
      dispatcher.dispatch(Plain.State.run { dispatcher.dispatch(Plain.State.set(1)) })
      #expect(store.x.value == 1)
    }
    #expect(weakDispatcher == nil)
  }

  @Test func statesAreReleasedAfterTheirDispatch() {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { Plain.Store.instantiate() }
    do {
      let probe = census.probe()
      dispatcher.dispatch(
        Plain.State.run {
          dispatcher.dispatch(Plain.State.run { withExtendedLifetime(probe) {} })
        }
      )
    }
    #expect(census.living.value == 0)
    withExtendedLifetime(store) {}
  }

  @Test func closuresChainedThroughTheirDeinitsUseConstantStack() {
    // Each closure's release cleans the next observation: what cleans must not recurse per observer.
    let variable = Variable(0)
    let bag = DustBuster()
    for _ in 0..<100_000 { observe(variable, ignoreFirst: true).cleaned(by: bag) }
    let closer = variable.observe(ignoreFirst: true) { _ in bag.clean() }
    Worker(stackSize: 512 << 10) { variable.value = 1 }.join()
    #expect(census.living.value == 0)
    closer.clean()
    do {
      let other = Variable(0)
      for _ in 0..<100_000 { _ = observe(other, ignoreFirst: true) }
    }
    #expect(census.living.value == 0)
  }

  @Test func racingCleansWritesAndReleasesLeakNothing() {
    let queue = DispatchQueue(label: "queue", attributes: .concurrent)
    for round in 0..<300 * scale {
      let holder = Box<Variable<Probe>?>(Variable(census.probe()))
      let dusts = (0..<4).map { index in
        observe(
          holder.value!,
          on: index == 3 ? .queue(queue) : .current,
          ignoreFirst: index % 2 == 0
        )
      }
      let variables = (0..<3).map { _ in Box<Variable<Probe>?>(holder.value) }
      holder.value = nil
      onThreads(3) { [census] index in
        for step in 0..<10 {
          variables[index].value!.value = census.probe()
          if step == round % 10 { for dust in dusts[index...index] { dust.clean() } }
        }
        variables[index].value = nil
      }
    }
    queue.sync(flags: .barrier) {}
    #expect(eventually { census.living.value == 0 })
  }

  @Test func writeInAThreadsLastBreathIsTold() {
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }
    nonisolated(unsafe) var key = pthread_key_t()
    pthread_key_create(&key) { pointer in
      Unmanaged<Probe>.fromOpaque(pointer!).release()
    }
    for value in 1...100 {
      let body = Box {
        variable.value = -value
        let probe = Probe { variable.value = value }
        pthread_setspecific(key, Unmanaged.passRetained(probe).toOpaque())
      }
      var thread = pthread_t()
      pthread_create(
        &thread,
        nil,
        { context in
          Unmanaged<Box<() -> Void>>.fromOpaque(context!).takeRetainedValue().value()
          return nil
        },
        Unmanaged.passRetained(body).toOpaque()
      )
      pthread_join(thread, nil)
    }
    #expect(log.entries == (1...100).flatMap { [-$0, $0] })
    dust.clean()
    pthread_key_delete(key)
  }
}
