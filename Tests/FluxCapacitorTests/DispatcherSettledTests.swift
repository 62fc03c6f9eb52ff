import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Synchronization
import Testing

/// Promise B14: `settled()` of the core waits for a dispatcher's work, for an orderly shutdown.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct DispatcherSettledTests {
  private let dusts = DustBuster()
  private let log = Variable<[String]>([])
  private let gate = FluxCapacitorTesting.Gate()
  private let store = CounterStore.instantiate()

  /// Waits with the core's `settled()`, and then logs the end of the wait.
  private func settle(_ dispatcher: Dispatcher = .shared) -> Task<Void, Never> {
    Task.detached { [log] in
      let _: Void = await dispatcher.settled()
      log.value.append("settled")
    }
  }

  // MARK: Two methods of the same name

  @Test func settledMeansTheMethodOfFluxCapacitorTestingInAFileThatImportsThatLibrary() async {
    let result = await Dispatcher.shared.settled()

    #expect(type(of: result) == Bool.self)
  }

  // MARK: Work

  @Test func settledOfTheCoreWaitsForAnEffectATaskAndAnObserverOnAQueue() async {
    let queue = DispatchQueue(label: "observers")
    let effects = Effects()
    queue.suspend()
    store.count.observe(on: .queue(queue), ignoreFirst: true) { [log] in
      log.value.append("count \($0)")
    }
    .cleaned(by: dusts)
    effects.run { [gate, log] effect in
      await gate.pass()
      CounterAction().invoke(.set(1), as: effect)
      Task { log.value.append("task") }.cleaned(by: dusts)
    }

    let wait = settle()
    gate.open()
    queue.resume()
    await wait.value

    #expect(Set(log.value.dropLast()) == ["count 1", "task"])
    #expect(log.value.last == "settled")
  }

  @Test func settledOfTheCoreWaitsForARunningReduceAndForStatesThatTheReduceInvokes() async {
    let dispatcher = Dispatcher()
    let (isInside, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let audit = AuditStore.instantiate(on: dispatcher)
    audit.onReduce.value = { [log] in
      audit.onReduce.value = { log.value.append("second") }
      isInside.signal()
      release.wait()
      dispatcher.dispatch(Dispatcher.Counter.add(2))
    }

    DispatchQueue.global().async { dispatcher.dispatch(Dispatcher.Counter.add(1)) }
    await offTheTask { isInside.wait() }
    let wait = settle(dispatcher)
    release.signal()
    await wait.value

    #expect(log.value == ["second", "settled"])
    audit.onReduce.value = {}
  }

  @Test func deferredStateCountsAsWorkUntilItsObserversHaveBeenCalled() {
    let dispatcher = Dispatcher()
    let audit = AuditStore.instantiate(on: dispatcher)
    let counter = CounterStore.instantiate(on: dispatcher)
    counter.count.observe(on: .current, ignoreFirst: true) { [log] in
      log.value.append("count \($0)")
    }
    .cleaned(by: dusts)
    audit.onReduce.value = { [log] in
      audit.onReduce.value = {}
      dispatcher.dispatch(Dispatcher.Counter.add(2))
      dispatcher.pendingWork.when(.ended) { log.value.append("settled") }
    }

    dispatcher.dispatch(Dispatcher.Counter.add(1))

    #expect(log.value == ["count 1", "count 3", "settled"])
  }

  @Test func settledWaitsForAnEffectThatWaitsForAnElement() async {
    let (effects, variable) = (Effects(), Variable(0))
    effects.run { [log] _ in
      for await value in variable.values where value == 1 { return log.value.append("ended") }
    }

    await Dispatcher.shared.reach(.resting)
    let wait = settle()
    #expect(!Dispatcher.shared.pendingWork.hasEnded)
    variable.value = 1
    await wait.value

    #expect(log.value == ["ended", "settled"])
  }

  @Test func processWideDispatcherTracksWorkOutsideEveryReplacement() async {
    let work = Task.detached { [dusts, gate, log] in
      Task.detached {
        await gate.pass()
        log.value.append("task")
      }
      .cleaned(by: dusts)
    }
    await work.value

    let isPending = Dispatcher.processWide.pendingWork.descriptions.contains {
      $0.contains(#fileID)
    }
    gate.open()

    #expect(isPending)
  }

  @Test func cancelledTaskEndsItsWaitInSettledOfTheCore() async {
    Task { [gate] in await gate.pass() }.cleaned(by: dusts)

    let wait = settle()
    wait.cancel()
    await wait.value
    let isPending = !Dispatcher.shared.pendingWork.hasEnded
    gate.open()

    #expect(isPending)
    #expect(log.value == ["settled"])
  }

  // MARK: Priorities

  @Test func settledOfTheCoreDoesNotWaitForAThreadWithBackgroundPriority() async {
    // These blocks keep all threads of the background queue busy.
    let isDone = Atomic(false)
    for _ in 1...64 {
      DispatchQueue.global(qos: .background).async {
        while !isDone.load(ordering: .relaxed) {}
      }
    }

    Task {}.cleaned(by: dusts)
    let _: Void = await Dispatcher.shared.settled()

    isDone.store(true, ordering: .relaxed)
  }

  // MARK: Loops

  @Test func taskThatWaitsForAnElementDoesNotCountAsWork() async {
    Task { [store] in for await _ in store.count.values {} }.cleaned(by: dusts)
    Task { for await _ in Dispatcher.shared.states(of: Dispatcher.Counter.self) {} }
      .cleaned(by: dusts)

    let _: Void = await Dispatcher.shared.settled()

    #expect(Dispatcher.shared.pendingWork.descriptions == [])
  }

  @Test func taskThatWaitsOutsideTheDispatcherOfItsBagDoesNotCountAsWork() async {
    let (dispatcher, variable) = (Dispatcher(), Variable(0))
    withDispatcher(dispatcher) {
      Task.detached { for await _ in variable.values {} }.cleaned(by: dusts)
    }

    #expect(await dispatcher.settled())

    #expect(dispatcher.pendingWork.descriptions == [])
  }

  @Test func taskThatWaitsBeforeItIsPutIntoABagDoesNotCountAsWork() async {
    let variable = Variable(0)
    let received = ValueRecorder(variable)
    let task = Task { for await value in variable.values where value == 0 { variable.value = 1 } }
    await received.next(2)
    // The task has written 1, and soon waits for the next element.
    task.cleaned(by: dusts)

    let _: Void = await Dispatcher.shared.settled()

    #expect(variable.value == 1)
  }

  @Test func elementMakesAWaitingTaskCountAsWorkAgain() async {
    let doubled = Variable(0)
    Task { [store] in for await count in store.count.values { doubled.value = count * 2 } }
      .cleaned(by: dusts)

    for number in 1...500 {
      CounterAction().invoke(.set(number))
      let _: Void = await Dispatcher.shared.settled()
      #expect(doubled.value == number * 2)
    }
  }

  @Test func cancelledLoopCountsAsWorkUntilItHasEnded() async {
    let variable = Variable(0)
    Task { [gate, log] in
      for await _ in variable.values {}
      await gate.pass()
      log.value.append("ended")
    }
    .cleaned(by: dusts)
    let _: Void = await Dispatcher.shared.settled()

    dusts.clean()
    let wait = settle()
    gate.open()
    await wait.value

    #expect(log.value == ["ended", "settled"])
  }
}
