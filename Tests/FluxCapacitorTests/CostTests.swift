import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// Tests that count allocations.
@Suite(.enabled(if: Allocations.canBeCounted), .timeLimit(.minutes(20)))
struct CostTests {
  @Test func allocationCounterCountsOneAllocationPerCreatedObject() async {
    await #expect(processExitsWith: .success) {
      var dusts: [DustBuster] = []
      dusts.reserveCapacity(100)

      let count = Allocations.count { for _ in 0..<100 { dusts.append(DustBuster()) } }

      #expect(count == 100)
    }
  }

  @Test(arguments: [0, 1, 10]) func settingAVariableAllocatesNothing(observers: Int) async {
    await #expect(processExitsWith: .success) { [observers] in
      let variable = Variable(0)
      let calls = Tally()
      for _ in 0..<observers { _ = variable.observe(ignoreFirst: true) { _ in calls.add() } }

      let count = Allocations.count { for value in 0..<1_000 { variable.value = value } }

      #expect(count == 0)
      #expect(calls.value == 1_000 * observers)
    }
  }

  @Test(arguments: [0, 1, 10]) func dispatchingAStateAllocatesNothing(observers: Int) async {
    await #expect(processExitsWith: .success) { [observers] in
      let store = CounterStore.instantiate()
      let action = CounterAction()
      let calls = Tally()
      for _ in 0..<observers { _ = store.count.observe { _ in calls.add() } }
      action.invoke(.set(-1))
      calls.reset()

      let count = Allocations.count { for value in 0..<1_000 { action.invoke(.set(value)) } }

      #expect(count == 0)
      #expect(calls.value == 1_000 * observers)
    }
  }

  @Test(arguments: [0, 1, 10]) func changingARowOfATableAllocatesNothing(observers: Int) async {
    await #expect(processExitsWith: .success) { [observers] in
      let cards = VariableTable((0..<100).map { Card("\($0)") })
      let calls = Tally()
      // A thread's first use of the library allocates memory, so this use happens before the counting.
      cards[id: "50"]?.title = "first"
      for _ in 0..<observers {
        _ = cards.row(id: "50").observe(ignoreFirst: true) { _ in calls.add() }
      }

      let count = Allocations.count {
        for _ in 0..<1_000 { cards[id: "50"]?.title = "other" }
        for _ in 0..<1_000 { cards[id: "50"] = Card("50", "other") }
      }

      #expect(count == 0)
      #expect(calls.value == 2_000 * observers)
    }
  }

  @Test func observingTheConstantOfARowTakesOneAllocation() async {
    await #expect(processExitsWith: .success) {
      let row = table("abc").row(id: "b")
      let calls = Tally()
      row.observe { _ in calls.add() }.clean()

      let count = Allocations.count {
        for _ in 0..<1_000 { row.observe { _ in calls.add() }.clean() }
      }

      #expect(count == 1_000)
    }
  }

  @Test(arguments: DerivedShape.allCases, [false, true])
  func deliveringAChangeOfADerivedConstantAllocatesNothing(
    shape: DerivedShape,
    isTransaction: Bool
  ) async {
    await #expect(processExitsWith: .success) { [shape, isTransaction] in
      let (first, second) = (Variable(0), Variable(0))
      let dispatcher = Dispatcher()
      let calls = Tally()
      _ = shape.deriving(first, second).observe(ignoreFirst: true) { _ in calls.add() }
      func change(_ value: Int) {
        if isTransaction {
          dispatcher.transaction { (first.value, second.value) = (value, value) }
        } else {
          first.value = value
        }
      }
      change(1)
      calls.reset()

      let count = Allocations.count { for value in 2..<1_002 { change(value) } }

      #expect(count == 0)
      #expect(calls.value == 1_000)
    }
  }

  /// If `observers` is `nil`, the dispatcher has never had an observer. If `observers` is 0, the
  /// dispatcher's only observer has been cleaned.
  @Test(arguments: [nil, 0, 1, 10])
  func dispatchingAStateToItsObserversAllocatesNothing(observers: Int?) async {
    await #expect(processExitsWith: .success) { [observers] in
      let action = CounterAction()
      let calls = Tally()
      if let observers {
        action.dispatcher.observe(Dispatcher.Counter.self) { _ in calls.add() }.clean()
        for _ in 0..<observers {
          _ = action.dispatcher.observe(Dispatcher.Counter.self) { _ in calls.add() }
        }
      }
      action.invoke(.set(-1))
      calls.reset()

      let count = Allocations.count { for value in 0..<1_000 { action.invoke(.set(value)) } }

      #expect(count == 0)
      #expect(calls.value == 1_000 * (observers ?? 0))
    }
  }

  @Test(arguments: [0, 1_000])
  func clearingAStoreCostsTheSameBesideManyDispatchers(others: Int) async {
    await #expect(processExitsWith: .success) { [others] in
      let sessions = (0..<others).map { _ in
        let dispatcher = Dispatcher()
        return (dispatcher, CounterStore.instantiate(on: dispatcher))
      }
      let dispatcher = Dispatcher()
      let store = CounterStore.instantiate(on: dispatcher)

      let count = Allocations.count { store.clear() }

      #expect(count < 10)
      #expect(CounterStore.instantiate(on: dispatcher) !== store)
      withExtendedLifetime(sessions) {}
    }
  }

  @Test(arguments: [0, 10_000]) func observingAVariableTakesOneAllocation(others: Int) async {
    await #expect(processExitsWith: .success) { [others] in
      let variable = Variable(0)
      let calls = Tally()
      for _ in 0..<others { _ = variable.observe { _ in calls.add() } }
      // A thread's first use of the library allocates memory, so this use happens before the counting.
      variable.observe { _ in calls.add() }.clean()

      let count = Allocations.count {
        for _ in 0..<1_000 { variable.observe { _ in calls.add() }.clean() }
      }

      #expect(count == 1_000)
    }
  }

  @Test func appendingToAVariablesArrayAllocatesOnlyToGrowTheArray() async {
    await #expect(processExitsWith: .success) {
      let list = Variable<[Int]>([])
      let observed = Variable<[Int]>([])
      let dust = observed.observe { _ in }

      let count = Allocations.count {
        for value in 0..<40_000 {
          list.value.append(value)
          observed.modify { $0.append(value) }
        }
      }

      #expect(count < 100)
      #expect(list.value == observed.value)
      dust.clean()
    }
  }
}

enum DerivedShape: String, CaseIterable, Codable {
  case map, maps, removeDuplicates, combine

  func deriving(_ first: Variable<Int>, _ second: Variable<Int>) -> Constant<Int> {
    let (one, other) = (Constant(first), Constant(second))
    return switch self {
    case .map: one.map { $0 &+ 1 }
    case .maps: one.map { $0 &+ 1 }.map { $0 &* 2 }
    case .removeDuplicates: one.removeDuplicates()
    case .combine: Constant.combine(one, other).map { $0.0 &+ $0.1 }
    }
  }
}
