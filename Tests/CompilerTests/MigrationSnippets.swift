import FluxCapacitor
import FluxCapacitorTesting
import Synchronization
import Testing

extension Dispatcher {
  fileprivate enum Lookup: DispatchState {
    typealias RelatedStoreType = LookupStore

    case found([String])
  }
}

private final class LookupStore: Storable {
  let effects = Effects(.latest)
  var results: Constant<[String]> { _results.constant }
  private let _results = Variable<[String]>([])

  func reduce(with state: Dispatcher.Lookup) {
    switch state {
    case .found(let results): _results.value = results
    }
  }
}

private struct OlderLookupAction: Actionable {
  typealias DispatchStateType = Dispatcher.Lookup

  let find: @Sendable (_ text: String) async -> [String]

  func search(_ text: String) {
    Task { invoke(.found(await find(text))) }
  }
}

private struct LookupAction: Actionable {
  typealias DispatchStateType = Dispatcher.Lookup

  let find: @Sendable (_ text: String) async -> [String]

  func search(_ text: String) {
    LookupStore.instantiate().effects.run { effect in invoke(.found(await find(text)), as: effect) }
  }
}

struct MigrationSnippets {
  @Test(.isolatedDispatcher, .timeLimit(.minutes(20)), arguments: [false, true])
  func lateAnswerReplacesTheNewerAnswerOnlyWithoutEffects(hasEffects: Bool) async {
    let store = LookupStore.instantiate()
    let gate = Gate()
    let find = { @Sendable (text: String) in
      if text == "old" { await gate.pass() }
      return [text]
    }
    let search =
      hasEffects ? LookupAction(find: find).search : OlderLookupAction(find: find).search

    search("old")
    await gate.reached()
    search("new")
    _ = await store.results.values.first { $0 == ["new"] }
    gate.open()
    if hasEffects {
      await Dispatcher.shared.settled()
    } else {
      _ = await store.results.values.first { $0 == ["old"] }
    }

    #expect(store.results.value == [hasEffects ? "new" : "old"])
  }

  @Test func everyObserverReceivesChangesInOrderWhenAnObserverSetsTheVariable() {
    let log = Variable<[Int]>([])
    let print = { @Sendable (value: Int) in log.value.append(value) }

    let page = Variable(0)
    _ = page.observe { if $0 == 1 { page.value = 2 } }
    _ = page.observe { print($0) }  // 0, 1, 2; it was 0, 2, 1.
    page.value = 1

    #expect(log.value == [0, 1, 2])
  }

  @Test func modifyRemovesAndReturnsTheFirstElement() {
    let tickets = Variable(["A1", "A2"])

    let before = takeInTwoSteps(from: tickets)
    let after = takeInOneStep(from: tickets)

    #expect(before == "A1")
    #expect(after == "A2")
    #expect(takeInOneStep(from: tickets) == nil)
  }

  private func takeInTwoSteps(from tickets: Variable<[String]>) -> String? {
    let first = tickets.value.first
    tickets.value = Array(tickets.value.dropFirst())
    return first
  }

  private func takeInOneStep(from tickets: Variable<[String]>) -> String? {
    let first = tickets.modify { $0.isEmpty ? nil : $0.removeFirst() }
    return first
  }

  @Test func observerReadsAllValuesThatATransactionHasWritten() {
    let name = Variable("")
    let stars = Variable(0)
    let log = Variable<[Int]>([])
    _ = name.observe(ignoreFirst: true) { _ in log.value.append(stars.value) }

    name.value = "FluxCapacitor"
    stars.value = 100
    stars.value = 0

    Dispatcher.shared.transaction {
      name.value = "FluxCapacitor"
      stars.value = 100
    }

    #expect(log.value == [0, 100])
  }

  @Test func observerAddsToATotalInAMutex() {
    let repositories = Variable(["a"])

    let total = Mutex(0)
    _ = repositories.observe { names in
      total.withLock { $0 += names.count }
    }

    #expect(total.withLock { $0 } == 1)
  }

  @Test func dispatcherReadReturnsTheValuesOfSeveralVariables() {
    let name = Variable("a")
    let stars = Variable(1)

    let (title, count) = Dispatcher.shared.read { (name.value, stars.value) }

    #expect(title == "a")
    #expect(count == 1)
  }

  @Test func withDispatcherGivesATestItsOwnStore() {
    do {
      let store = CounterStore.instantiate()
      defer { store.clear() }
      CounterAction().increment()
      #expect(store.count.value == 1)
    }
    withDispatcher(Dispatcher()) {
      let store = CounterStore.instantiate()
      CounterAction().increment()
      #expect(store.count.value == 1)
    }
  }
}
