import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Promise B14: a server gives each session a dispatcher, and creates stores and actions for the dispatcher.
@Suite(.timeLimit(.minutes(20)))
struct SessionTests {
  private let dispatcher = Dispatcher()
  private var counter: DispatcherAction<CountingAction> { CountingAction(amount: 2).on(dispatcher) }

  // MARK: Stores

  @Test func eachDispatcherHasItsOwnStore() {
    let other = Dispatcher()
    let store = CounterStore.instantiate(on: dispatcher)
    let otherStore = CounterStore.instantiate(on: other)

    dispatcher.dispatch(Dispatcher.Counter.add(1))

    #expect(store !== otherStore)
    #expect(CounterStore.instantiate(on: dispatcher) === store)
    #expect(withDispatcher(dispatcher) { CounterStore.instantiate() } === store)
    #expect((store.count.value, otherStore.count.value) == (1, 0))
  }

  @Test func storesThatAnInitializerInstantiatesBelongToTheSameDispatcher() {
    let store = NestedStore.instantiate(on: dispatcher)

    #expect(CounterStore.instantiate(on: dispatcher) === store.counter)
  }

  // MARK: Actions

  @Test func invokerWithADispatcherInvokesStatesOnThatDispatcher() async {
    let store = CounterStore.instantiate(on: dispatcher)
    let action = Invoker<Dispatcher.Score>(on: dispatcher)
    let scores = ScoreStore.instantiate(on: dispatcher)

    action.win(2)
    await Task.detached { action.win(3) }.value
    withDispatcher(Dispatcher()) { action.win(4) }

    #expect(scores.sum.value == 9)
    #expect(store.count.value == 0)
  }

  @Test func invokerWithoutADispatcherUsesTheDispatcherThatIsSharedAtEachCall() {
    let other = Dispatcher()
    let stores = [dispatcher, other].map { ScoreStore.instantiate(on: $0) }
    let action = withDispatcher(other) { Invoker<Dispatcher.Score>() }

    withDispatcher(dispatcher) { action.win(1) }
    withDispatcher(other) { action.win(2) }

    #expect(stores.map(\.sum.value) == [1, 2])
  }

  @Test func actionOnADispatcherInvokesStatesOnThatDispatcher() async {
    let store = CounterStore.instantiate(on: dispatcher)

    let result = counter { action in
      action.add()
      return action.amount
    }
    await counter { await $0.addInATask() }

    #expect(result == 2)
    #expect(store.count.value == 4)
  }

  @Test func actionOnADispatcherThrowsTheErrorOfTheClosure() async {
    #expect(throws: Failure.refused) {
      try counter { _ throws(Failure) in throw .refused }
    }
    await #expect(throws: Failure.refused) {
      try await counter { _ async throws(Failure) in throw .refused }
    }
    do throws(Failure) {
      try counter { _ throws(Failure) in throw .refused }
    } catch {
      #expect(error == .refused)
    }
  }

  @MainActor @Test func actionOnADispatcherKeepsTheCallersActor() async {
    var calls = 0

    counter { _ in calls += 1 }
    await counter { _ in
      await Task.yield()
      MainActor.assertIsolated()
      calls += 1
    }

    #expect(calls == 2)
  }

  @Test func effectsOfAnActionOnADispatcherCountForThatDispatcher() async {
    let store = CounterStore.instantiate(on: dispatcher)
    let gate = FluxCapacitorTesting.Gate()

    counter { $0.addLater(after: gate) }
    await gate.reached()
    let isPending = !dispatcher.pendingWork.hasEnded
    gate.open()
    let _: Void = await dispatcher.settled()

    #expect(isPending)
    #expect(store.count.value == 2)
  }

  // MARK: Lifetime

  @Test func aThousandSessionsAreFreedWithTheirStoresActionsEffectsAndObservers() async {
    let freed = Tally()
    for _ in 1...1_000 {
      let session = Session(freed)
      session.counter { $0.addLater(after: nil) }
      session.score.win(1)
      let _: Void = await session.dispatcher.settled()
      #expect(session.store.count.value == 1)
      #expect(session.sum.value == 1)
    }

    // The loops of the freed sessions are cancelled, and free their contents when they have ended.
    while freed.value < 4_000 { await Task.yield() }
    #expect(freed.value == 4_000)
    #expect(Dispatcher.processWide.pendingWork.descriptions.allSatisfy { !$0.contains(#fileID) })
  }
}

private enum Failure: Error { case refused }

/// A session with two stores, two actions, an observer on a queue, and a loop.
private final class Session: Sendable {
  let dispatcher = Dispatcher()
  let store: CounterStore
  let scores: ScoreStore
  let counter: DispatcherAction<CountingAction>
  let score: Invoker<Dispatcher.Score>
  let sum = Variable(0)
  private let dusts = DustBuster()
  private let ending: AtEnd

  init(_ freed: Tally) {
    let tokens = (0..<4).map { _ in AtEnd { freed.add() } }
    store = CounterStore.instantiate(on: dispatcher)
    scores = ScoreStore.instantiate(on: dispatcher)
    counter = CountingAction(amount: 1, token: tokens[0]).on(dispatcher)
    score = Invoker(on: dispatcher)
    ending = tokens[1]
    withDispatcher(dispatcher) {
      store.count.observe(on: .queue(.global())) { _ in withExtendedLifetime(tokens[2]) {} }
        .cleaned(by: dusts)
      Task { [scores, sum, token = tokens[3]] in
        for await value in scores.sum.values { sum.value = value }
        withExtendedLifetime(token) {}
      }
      .cleaned(by: dusts)
    }
  }
}

private struct CountingAction: Actionable {
  typealias DispatchStateType = Dispatcher.Counter

  let amount: Int
  var token: AtEnd?
  private let effects = Effects()

  init(amount: Int, token: AtEnd? = nil) {
    self.amount = amount
    self.token = token
  }

  func add() { invoke(.add(amount)) }

  func addInATask() async { await Task { add() }.value }

  func addLater(after gate: FluxCapacitorTesting.Gate?) {
    effects.run { effect in
      await gate?.pass()
      invoke(.add(amount), as: effect)
    }
  }
}

extension Dispatcher {
  enum Score: DispatchState {
    typealias RelatedStoreType = ScoreStore

    case win(Int)
  }
}

extension Invoker<Dispatcher.Score> {
  func win(_ points: Int) { invoke(.win(points)) }
}

final class ScoreStore: Storable {
  let sum = Variable(0)

  func reduce(with state: Dispatcher.Score) {
    switch state {
    case .win(let points): sum.value += points
    }
  }
}
