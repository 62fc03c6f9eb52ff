import FluxCapacitor
import Foundation
import Synchronization
import Testing

/// D1–D3, D5.
struct DispatchTests {
  let dispatcher = Dispatcher()

  private func makeStore() -> Plain.Store {
    withDispatcher(dispatcher) { Plain.Store.instantiate() }
  }

  @Test func invokeInsideAReduceIsQueuedUntilItHasEnded() {
    let store = makeStore()
    let log = Log<String>()
    let dust = store.x.observe(ignoreFirst: true) { log.append("told \($0)") }
    dispatcher.dispatch(
      Plain.State.run { [dispatcher] in
        log.append("begin")
        dispatcher.dispatch(
          Plain.State.run {
            log.append("first")
            dispatcher.dispatch(Plain.State.run { log.append("third") })
          }
        )
        dispatcher.dispatch(Plain.State.run { log.append("second") })
        store._x.value = 1
        log.append("end")
      }
    )
    let order = log.entries.filter { $0 != "told 1" }
    #expect(order == ["begin", "end", "first", "second", "third"])
    #expect(log.count == 6)
    dust.clean()
  }

  @Test func invokeInsideAReduceToAnotherDispatcherIsQueuedToo() {
    let other = Dispatcher()
    let store = makeStore()
    let far = withDispatcher(other) { Plain.Store.instantiate() }
    let log = Log<String>()
    dispatcher.dispatch(
      Plain.State.run {
        other.dispatch(Plain.State.run { log.append("far") })
        log.append("end")
      }
    )
    #expect(log.entries == ["end", "far"])
    withExtendedLifetime((store, far)) {}
  }

  @Test func readSeesNoReduceInBetween() {
    let store = makeStore()
    let torn = Counter()
    onThreads(3) { [dispatcher] index in
      for step in 0..<10_000 * scale {
        if index == 0 {
          dispatcher.read { if store.x.value != store.y.value { torn.add() } }
        } else if index == 1 {
          dispatcher.dispatch(Plain.State.set(step))
        } else {
          dispatcher.transaction {
            store._y.value = -step
            store._x.value = -step
          }
        }
      }
    }
    #expect(torn.value == 0)
  }

  @Test func reducesOfManyThreadsHaveOneOrderForAllStoresAndObservers() {
    let store = withDispatcher(dispatcher) { Twins.First.instantiate() }
    let twin = withDispatcher(dispatcher) { Twins.Second.instantiate() }
    let logs = (0..<2).map { _ in Log<Int>() }
    let dusts = [
      store.last.observe(ignoreFirst: true) { logs[0].append($0) },
      twin.last.observe(ignoreFirst: true) { logs[1].append($0) },
    ]
    let each = 12_500 * scale
    onThreads(4) { [dispatcher] index in
      for step in 0..<each { dispatcher.dispatch(Twins.State.note(index * each + step)) }
    }
    #expect(store.overlaps.value == 0)
    #expect(store.all.count == 4 * each)
    #expect(store.all == twin.all)
    #expect(logs[0].entries == store.all)
    #expect(logs[1].entries == store.all)
    for dust in dusts { dust.clean() }
  }

  @Test(arguments: [512 << 10, 8 << 20])
  func chainsOfInvocationsRunInConstantStack(stackSize: Int) {
    let store = makeStore()
    let worker = Worker(stackSize: stackSize) { [dispatcher] in
      // Each state is invoked by an observer of the one before.
      let dust = store.x.observe { value in
        if value < 100_000 { dispatcher.dispatch(Plain.State.set(value + 1)) }
      }
      #expect(store.x.value == 100_000)
      dust.clean()

      // Each state is invoked by the reduce of the one before.
      let last = Box(0)
      @Sendable func step(_ index: Int) {
        last.value = index
        store._x.value = index
        if index < 100_000 { dispatcher.dispatch(Plain.State.run { step(index + 1) }) }
      }
      let observer = store.x.observe(ignoreFirst: true) { _ in }
      dispatcher.dispatch(Plain.State.run { step(1) })
      #expect(last.value == 100_000)
      observer.clean()

      // Each state is invoked in the mutation of the one before.
      @Sendable func mutate(_ index: Int) {
        last.value = index
        store._y.modify { value in
          value = index
          if index < 100_000 { dispatcher.dispatch(Plain.State.run { mutate(index + 1) }) }
        }
      }
      mutate(1)
      #expect(last.value == 100_000)

      // Two variables, each set by an observer of the other.
      let one = Variable(0)
      let two = Variable(0)
      let bag = DustBuster()
      one.observe { value in if value < 100_000 { two.value = value + 1 } }.cleaned(by: bag)
      two.observe { value in if value < 100_000 { one.value = value + 1 } }.cleaned(by: bag)
      one.value = 1
      #expect(max(one.value, two.value) == 100_000)
      bag.clean()
    }
    #expect(worker.join())
  }

  @Test func chainOnMainRunsInConstantStack() {
    let variable = Variable(0)
    let last = onMain {
      let dust = variable.observe(on: ExecuteQueue.main) { if $0 < 100_000 { variable.value += 1 } }
      dust.clean()
      return variable.value
    }
    #expect(last == 100_000)
  }

  @Test func stateThatReachesNoStoreIsNoError() {
    dispatcher.dispatch(Plain.State.set(1))
    var store: Plain.Store? = makeStore()
    #expect(store?.x.value == 0)
    store = nil
    dispatcher.dispatch(Plain.State.set(2))
    #expect(makeStore().x.value == 0)
  }

  @Test func dispatchWithinTasksAndActors() async {
    actor Invoker {
      let dispatcher: Dispatcher
      init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }
      func invoke(_ state: Twins.State) { dispatcher.dispatch(state) }
    }
    let store = withDispatcher(dispatcher) { Twins.First.instantiate() }
    let log = Log<Int>()
    let dust = store.last.observe(ignoreFirst: true) { log.append($0) }
    await withTaskGroup(of: Void.self) { group in
      let invoker = Invoker(dispatcher)
      for index in 0..<2000 {
        group.addTask { [dispatcher] in
          if index % 2 == 0 {
            await invoker.invoke(.note(index))
          } else {
            dispatcher.dispatch(Twins.State.note(index))
          }
        }
      }
    }
    #expect(log.entries.sorted() == Array(0..<2000))
    #expect(store.all == log.entries)
    dust.clean()
  }
}
