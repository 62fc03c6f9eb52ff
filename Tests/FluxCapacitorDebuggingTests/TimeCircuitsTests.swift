import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct TimeCircuitsTests {
  private let store = BoardStore.instantiate()
  private let circuits = TimeCircuits()

  /// The history already contains the state that the observer has invoked.
  @Test func travelKeepsTheHistoryIfAnObserverInvokesAState() {
    let dispatcher = Dispatcher()
    let stores = (
      CounterStore.instantiate(on: dispatcher), LabelStore.instantiate(on: dispatcher)
    )
    let circuits = TimeCircuits(dispatcher)
    let dust = stores.0.count.observe(ignoreFirst: true) {
      dispatcher.dispatch(LabelStore.State(text: "\($0)"))
    }
    for _ in 1...2 { dispatcher.dispatch(Dispatcher.Counter.add(1)) }

    circuits.travel(to: 2)
    #expect(circuits.events.count == 4)
    #expect(stores.0.count.value == 1)
    circuits.travel(to: 4)
    #expect(stores.0.count.value == 2)
    #expect(stores.1.label.value == "2")
    dispatcher.dispatch(Dispatcher.Counter.add(1))
    #expect(circuits.events.count == 6)
    dust.clean()
  }

  @Test func undoInsideAReduceTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, circuits) = (RevokingStore.instantiate(), TimeCircuits())
      Dispatcher.shared.dispatch(RevokingStore.Revocation { circuits.undo() })
      withExtendedLifetime(store) {}
    }

    let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(printed.contains("Call its methods after the dispatch, or in an observer."))
  }

  /// The history already contains the states that observers on a queue have invoked.
  @Test(arguments: [true, false])
  func travelKeepsTheHistoryIfAnObserverOnAQueueInvokesAState(isMain: Bool) async {
    let stores = (CounterStore.instantiate(), LabelStore.instantiate())
    let dusts = DustBuster()
    let own = DispatchQueue(label: "observer")
    let queue = isMain ? DispatchQueue.main : own
    stores.0.count.observe(on: isMain ? ExecuteQueue.main : .queue(own), ignoreFirst: true) {
      Invoker<LabelStore.State>().invoke(.init(text: "\($0)"))
    }.cleaned(by: dusts)
    // Another observer continues on a second queue.
    let last = Variable("")
    stores.1.label.observe(on: .queue(own), ignoreFirst: true) { last.value = $0 }
      .cleaned(by: dusts)
    for _ in 1...5 {
      CounterAction().invoke(.add(1))
      await queue.finish()
    }
    #expect(circuits.events.count == 10)

    for position in (0..<10).reversed() {
      circuits.undo()
      await queue.finish()
      #expect(circuits.events.count == 10)
      #expect(circuits.position == position)
    }
    for _ in 1...10 {
      circuits.redo()
      await queue.finish()
    }
    #expect(circuits.position == 10)
    #expect(stores.0.count.value == 5)
    #expect(stores.1.label.value == "5")
    await own.finish()
    #expect(last.value == "5")
  }

  @Test func travelKeepsTheHistoryIfObserversOnTwoQueuesInvokeStatesInAChain() async {
    let stores = (CounterStore.instantiate(), LabelStore.instantiate())
    let dusts = DustBuster()
    let queues = [DispatchQueue(label: "first"), DispatchQueue(label: "second")]
    stores.0.count.observe(on: .queue(queues[0]), ignoreFirst: true) {
      Invoker<LabelStore.State>().invoke(.init(text: "\($0)"))
    }.cleaned(by: dusts)
    stores.1.label.observe(on: .queue(queues[1]), ignoreFirst: true) {
      Invoker<Board>().invoke(.replace([$0]))
    }.cleaned(by: dusts)
    CounterAction().invoke(.add(1))
    for queue in queues { await queue.finish() }
    #expect(circuits.events.count == 3)

    circuits.travel(to: 0)
    for queue in queues { await queue.finish() }
    #expect(circuits.events.count == 3)
    circuits.travel(to: 3)
    for queue in queues { await queue.finish() }

    #expect(circuits.position == 3)
    #expect(store.names.value == ["1"])
  }

  /// The thread that is calling the observers of a variable also calls them for the undo of another thread.
  @Test func travelKeepsTheHistoryIfAnotherThreadDeliversItsChanges() async {
    let dispatcher = Dispatcher()
    let stores = (
      CounterStore.instantiate(on: dispatcher), LabelStore.instantiate(on: dispatcher)
    )
    let circuits = TimeCircuits(dispatcher)
    let (held, release, done) = (Gate(), DispatchSemaphore(value: 0), Gate())
    let dusts = [
      stores.0.count.observe(ignoreFirst: true) {
        dispatcher.dispatch(LabelStore.State(text: "\($0)"))
      },
      stores.0.count.observe(ignoreFirst: true) { count in
        guard count == 2 else { return }
        held.open()
        release.wait()
      },
    ]
    dispatcher.dispatch(Dispatcher.Counter.add(1))
    Thread.detachNewThread {
      dispatcher.dispatch(Dispatcher.Counter.add(1))
      done.open()
    }
    await held.pass()

    circuits.travel(to: 2)
    release.signal()
    await done.pass()
    dusts[1].clean()

    #expect(circuits.events.count == 4)
    circuits.travel(to: 4)
    #expect(stores.0.count.value == 2)
    dusts[0].clean()
  }

  /// The changes of an undo in an observer are delivered after the observer's call.
  @Test func travelInAnObserverKeepsTheHistoryIfAnotherObserverInvokesAState() {
    let dispatcher = Dispatcher()
    let stores = (
      CounterStore.instantiate(on: dispatcher), LabelStore.instantiate(on: dispatcher)
    )
    let circuits = TimeCircuits(dispatcher)
    let position = Variable(0)
    let dusts = [
      stores.0.count.observe(ignoreFirst: true) {
        dispatcher.dispatch(LabelStore.State(text: "\($0)"))
      },
      position.observe(ignoreFirst: true) { circuits.travel(to: $0) },
    ]
    for _ in 1...2 { dispatcher.dispatch(Dispatcher.Counter.add(1)) }

    position.value = 2

    #expect(circuits.events.count == 4)
    #expect(circuits.position == 2)
    for dust in dusts { dust.clean() }
  }

  @Test func stateOfAnObserverThatTravelHasNotCausedReplacesLaterDispatches() async {
    let queue = DispatchQueue(label: "observer")
    let field = Variable("")
    let dust = field.observe(on: .queue(queue), ignoreFirst: true) {
      Invoker<Board>().invoke(.add($0))
    }
    let other = store.count.observe(on: .queue(queue)) { _ in }
    for name in ["a", "b"] { Invoker<Board>().invoke(.add(name)) }
    circuits.undo()
    await queue.finish()

    field.value = "c"
    await queue.finish()

    #expect(circuits.events.map(\.sequenceNumber) == [1, 3])
    #expect(circuits.position == 2)
    #expect(store.names.value == ["a", "c"])
    dust.clean()
    other.clean()
  }

  @Test func undoRevertsADispatchAndRedoRepeatsTheDispatch() {
    Invoker<Board>().invoke(.add("a"))
    Invoker<Board>().invoke(.add("b"))

    #expect(circuits.position == 2)
    #expect(circuits.undo()?.sequenceNumber == 2)
    #expect(store.names.value == ["a"] && store.count.value == 1)
    #expect(circuits.undo()?.sequenceNumber == 1)
    #expect(store.names.value == [] && store.count.value == 0)
    #expect(circuits.undo() == nil)
    #expect(circuits.redo()?.sequenceNumber == 1)
    #expect(circuits.redo()?.sequenceNumber == 2)
    #expect(circuits.redo() == nil)
    #expect(store.names.value == ["a", "b"] && store.count.value == 2)
  }

  @Test func timeCircuitsCallAnObserverOncePerTravel() {
    for name in ["a", "b", "c"] { Invoker<Board>().invoke(.add(name)) }
    let both = ValueRecorder(Constant.combine(store.names, store.count), ignoreFirst: true)

    #expect(circuits.travel(to: 1) == 1)
    #expect(circuits.travel(to: 100) == 3)
    #expect(circuits.travel(to: -1) == 0)

    #expect(both.values.map(\.0) == [["a"], ["a", "b", "c"], []])
    #expect(both.values.map(\.1) == [1, 3, 0])
  }

  @Test func dispatchAfterTravelIntoThePastReplacesLaterDispatches() {
    for name in ["a", "b", "c"] { Invoker<Board>().invoke(.add(name)) }
    circuits.travel(to: 1)

    Invoker<Board>().invoke(.add("d"))

    #expect(circuits.events.map(\.sequenceNumber) == [1, 4])
    #expect(circuits.redo() == nil)
    #expect(store.names.value == ["a", "d"])
    circuits.undo()
    #expect(store.names.value == ["a"])
  }

  @Test func timeCircuitsKeepTheirHistoryWithinTheCountAndByteLimits() {
    let few = TimeCircuits(limits: .init(count: 2))
    let small = TimeCircuits(limits: .init(bytes: 10_000))
    for number in 0..<100 {
      Invoker<Board>().invoke(.replace([String(repeating: "x", count: number * 10)]))
    }

    #expect(few.events.map(\.sequenceNumber) == [99, 100])
    #expect(small.events.count > 1 && small.events.count < 10)
    #expect(few.travel(to: 0) == 0)
    #expect(store.names.value[0].count == 970)
  }

  /// Threads of Apple's systems have stacks of this size.
  @Test func deepStateFitsAStackOf512Kilobytes() async {
    let dispatcher = Dispatcher()
    let circuits = TimeCircuits(dispatcher)
    await withCheckedContinuation { continuation in
      let thread = Thread {
        dispatcher.dispatch(Deep.of(levels: 2_000))
        continuation.resume()
      }
      thread.stackSize = 512 << 10
      thread.start()
    }

    #expect(circuits.events.count == 1)
  }

  @Test func undoAndRedoSucceedAfterTheStoreIsFreed() {
    var other: BoardStore?
    let dispatcher = Dispatcher()
    withDispatcher(dispatcher) { other = .instantiate() }
    let circuits = TimeCircuits(dispatcher)
    dispatcher.dispatch(Board.add("a"))
    #expect(other?.names.value == ["a"])
    other = nil

    #expect(circuits.undo() != nil)
    #expect(circuits.undo() == nil)
    #expect(circuits.redo() != nil)
  }

  @Test func travelRestoresTheExactValuesOfEachPositionInTheHistory() {
    let count = isThorough ? 10_000 : 2_000
    var random = SplitMix(seed: 1985)
    var states = [State(of: store)]
    for _ in 0..<count {
      Invoker<Board>().invoke(.random(using: &random))
      states.append(State(of: store))
    }

    for _ in 0..<(isThorough ? 200 : 50) {
      let position = Int.random(in: 0...count, using: &random)
      circuits.travel(to: position)
      #expect(State(of: store) == states[position])
      circuits.undo()
      circuits.redo()
      #expect(State(of: store) == states[max(position, 1)])
      circuits.travel(to: position)
    }
    circuits.travel(to: count)
    #expect(State(of: store) == states[count])
    while circuits.undo() != nil {}
    #expect(State(of: store) == states[0])
  }

  @Test func concurrentDispatchesUndosAndRedosLeaveTheStoreConsistent() async {
    let dispatcher = Dispatcher.shared
    let (circuits, store) = (circuits, store)

    await withTaskGroup { group in
      for task in 0..<4 {
        group.addTask {
          for round in 0..<500 {
            if task % 2 == 0 {
              dispatcher.dispatch(Board.add("\(task) \(round)"))
            } else if round.isMultiple(of: 2) {
              circuits.undo()
            } else {
              circuits.redo()
            }
            dispatcher.read { #expect(store.names.value.count == store.count.value) }
          }
        }
      }
    }
    circuits.travel(to: 0)

    #expect(circuits.position == 0)
  }
}

private struct State: Equatable {
  let names: [String]
  let count: Int

  init(of store: BoardStore) {
    names = store.names.value
    count = store.count.value
  }
}

private enum Board: DispatchState {
  typealias RelatedStoreType = BoardStore

  case add(String)
  case replace([String])
  case removeFirst
  case nothing

  static func random(using numbers: inout SplitMix) -> Board {
    switch Int.random(in: 0..<5, using: &numbers) {
    case 0, 1: .add("\(Int.random(in: 0..<100, using: &numbers))")
    case 2: .removeFirst
    case 3: .nothing
    default: .replace((0..<Int.random(in: 0..<5, using: &numbers)).map { "\($0)" })
    }
  }
}

private final class BoardStore: Storable {
  var names: Constant<[String]> { _names.constant }
  var count: Constant<Int> { _count.constant }
  private let _names = Variable<[String]>([])
  private let _count = Variable(0)

  func reduce(with state: Board) {
    switch state {
    case .add(let name): _names.value.append(name)
    case .replace(let names): _names.value = names
    case .removeFirst: if !_names.value.isEmpty { _names.value.removeFirst() }
    case .nothing: return
    }
    _count.value = _names.value.count
  }
}

private indirect enum Deep: DispatchState {
  typealias RelatedStoreType = DeepStore

  case end
  case next(Deep, Int)

  static func of(levels: Int) -> Deep { (0..<levels).reduce(.end) { .next($0, $1) } }
}

private final class DeepStore: Storable {
  func reduce(with _: Deep) {}
}

private final class LabelStore: Storable {
  struct State: DispatchState {
    typealias RelatedStoreType = LabelStore
    let text: String
  }

  let label = Variable("")

  func reduce(with state: State) { label.value = state.text }
}

extension DispatchQueue {
  /// Waits until all earlier blocks of the queue have ended.
  fileprivate func finish() async {
    await withCheckedContinuation { continuation in async { continuation.resume() } }
  }
}

/// A store that calls a closure in its reduce.
private final class RevokingStore: Storable {
  struct Revocation: DispatchState {
    typealias RelatedStoreType = RevokingStore

    let body: @Sendable () -> Void
  }

  func reduce(with state: Revocation) { state.body() }
}
