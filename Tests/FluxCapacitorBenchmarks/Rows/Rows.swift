import Dispatch
import FluxCapacitor
import Foundation
import Synchronization

/// A number that observers write, so that each observer does a minimum of work.
final class Sum: Sendable {
  private let sum = Atomic(0)

  func add(_ value: Int) {
    sum.store(value, ordering: .relaxed)
  }

  /// Adds a value unless the value equals the previous value.
  func addIfChanged(_ value: Int) {
    if sum.load(ordering: .relaxed) != value { add(value) }
  }
}

/// Returns eight states that are hidden from the optimizer.
///
/// If the optimizer knew the states, it would evaluate the store's `switch` at compile time.
@inline(never)
@_optimize(none)
private func floorStates() -> [FloorStore.State] {
  [.set(1), .add(2), .set(3), .add(4), .add(5), .set(6), .add(7), .set(8)]
}

/// Returns the same eight states for this library's store.
@inline(never)
@_optimize(none)
private func ourStates() -> [Dispatcher.Counter] {
  [.set(1), .add(2), .set(3), .add(4), .add(5), .set(6), .add(7), .set(8)]
}

/// Returns the rows for dispatches, variables, effects and memory.
func rows(scale: Int) -> [Row] {
  let sum = Sum()
  let n = 1_000 * scale

  func floorDispatch(observers: Int) -> Workload {
    Workload(n) {
      let store = FloorStore()
      for _ in 0..<observers { store.observe { sum.add($0) } }
      let dispatcher = FloorDispatcher(to: store)
      let states = floorStates()
      return {
        for index in 0..<n { dispatcher.dispatch(states[index & 7]) }
        withExtendedLifetime(store) {}
      }
    }
  }

  func ourDispatch(
    observers: Int,
    others: Int = 0,
    count: Int? = nil,
    preparing: @escaping () -> Dust? = { nil }
  ) -> Workload {
    let n = count ?? n
    return Workload(n) {
      let others = otherStores(others)
      let store = CounterStore.instantiate()
      let action = CounterAction()
      let dusts = DustBuster()
      for _ in 0..<observers { store.count.observe { sum.add($0) }.cleaned(by: dusts) }
      preparing()?.cleaned(by: dusts)
      let states = ourStates()
      return {
        for index in 0..<n { action.invoke(states[index & 7]) }
        withExtendedLifetime((store, dusts, others)) {}
      }
    }
  }

  func floorSet(observers: Int, count: Int) -> Workload {
    Workload(count) {
      let variable = FloorVariable(0)
      for _ in 0..<observers { variable.observe { sum.add($0) } }
      return { for value in 0..<count { variable.value = value } }
    }
  }

  func ourSet(observers: Int, count: Int) -> Workload {
    Workload(count) {
      let variable = Variable(0)
      for _ in 0..<observers { _ = variable.observe { sum.add($0) } }
      return { for value in 0..<count { variable.value = value } }
    }
  }

  func ourObserving(beside observers: Int) -> Workload {
    Workload(n / 10) {
      let variable = Variable(0)
      for _ in 0..<observers { _ = variable.observe { sum.add($0) } }
      return { for _ in 0..<n / 10 { variable.observe { sum.add($0) }.clean() } }
    }
  }

  func ourAppend(_ count: Int) -> Workload {
    Workload(count) {
      let list = Variable<[Int]>([])
      return { for value in 0..<count { list.value.append(value) } }
    }
  }

  func ourCleaning(_ count: Int) -> Workload {
    Workload(count) {
      let (variable, dusts) = (Variable(0), DustBuster())
      for _ in 0..<count { variable.map { $0 }.observe { sum.add($0) }.cleaned(by: dusts) }
      return { dusts.clean() }
    }
  }

  let floorObserving = Workload(n / 10) {
    let tokens = FloorTokens()
    return { for _ in 0..<n / 10 { tokens.remove(tokens.observe { sum.add($0) }) } }
  }

  let dispatches = [("no observer", 0), ("one observer", 1)].map { name, observers in
    Row(
      "dispatch, \(name)",
      atMost: .ratio(2),
      floor: floorDispatch(observers: observers),
      ours: ourDispatch(observers: observers)
    )
  }
  let sets = [("no observer", 0, 1.5), ("one observer", 1, 2), ("ten observers", 10, 1)]
    .map { name, observers, limit in
      Row(
        "set, \(name)",
        atMost: .ratio(limit),
        floor: floorSet(observers: observers, count: n),
        ours: ourSet(observers: observers, count: n)
      )
    }

  return dispatches + sets + [
    Row(
      "dispatch beside 100 other stores",
      atMost: .ratio(1.1),
      floor: ourDispatch(observers: 0),
      ours: ourDispatch(observers: 0, others: 100)
    ),
    Row(
      "dispatch after an interceptor was cleaned",
      atMost: .ratio(1.1),
      floor: ourDispatch(observers: 0),
      ours: ourDispatch(observers: 0) {
        Dispatcher.shared.intercept { sum.add($0.sequenceNumber) }.clean()
        return nil
      }
    ),
    Row(
      "dispatch with an interceptor",
      atMost: .absolute(5_000),
      floor: floorDispatch(observers: 1),
      ours: ourDispatch(observers: 0, count: n / 10) {
        Dispatcher.shared.intercept { sum.add($0.sequenceNumber) }
      }
    ),
    Row(
      "dispatch with an interceptor without changes",
      atMost: .absolute(2_000),
      floor: floorDispatch(observers: 1),
      ours: ourDispatch(observers: 0, count: n / 10) {
        Dispatcher.shared.intercept(changes: false) { sum.add($0.sequenceNumber) }
      }
    ),
    Row(
      "1,000 observers, per call",
      atMost: .ratio(2),
      floor: Workload(n) { [set = floorSet(observers: 1_000, count: n / 1_000)] in set.prepare() },
      ours: Workload(n) { [set = ourSet(observers: 1_000, count: n / 1_000)] in set.prepare() }
    ),
    Row(
      "get",
      atMost: .ratio(1.5),
      floor: .floorGet(n),
      ours: Workload(n) {
        let variable = Variable(1)
        return {
          var total = 0
          for _ in 0..<n { total &+= variable.value }
          blackHole(total)
        }
      }
    ),
    Row(
      "observe and clean",
      atMost: .ratio(3),
      floor: floorObserving,
      ours: ourObserving(beside: 0)
    ),
    Row(
      "observe and clean beside 10,000 observers",
      atMost: .ratio(3),
      floor: floorObserving,
      ours: ourObserving(beside: 10_000)
    ),
    Row(
      "observe and clean, 10,000 observers against none",
      atMost: .ratio(1.1),
      floor: ourObserving(beside: 0),
      ours: ourObserving(beside: 10_000)
    ),
    Row(
      "bag of 10,000, cleaned",
      atMost: .absolute(3_000_000),
      floor: Workload(1) {
        let tokens = FloorTokens()
        let all = (0..<10_000).map { _ in tokens.observe { sum.add($0) } }
        return { for token in all { tokens.remove(token) } }
      },
      ours: Workload(1) {
        let variable = Variable(0)
        let dusts = DustBuster()
        for _ in 0..<10_000 { variable.observe { sum.add($0) }.cleaned(by: dusts) }
        return { dusts.clean() }
      }
    ),
    Row(
      "bag of 10,000 observers of maps, cleaned, per observer against 1,000",
      atMost: .ratio(2),
      floor: ourCleaning(1_000),
      ours: ourCleaning(10_000)
    ),
    Row(
      "append, 40,000 times",
      atMost: .ratio(3),
      floor: Workload(1) {
        let list = FloorList()
        return { for value in 0..<40_000 { list.append(value) } }
      },
      ours: Workload(1) { [append = ourAppend(40_000)] in append.prepare() }
    ),
    Row(
      "append, per element, 40,000 against 10,000",
      atMost: .ratio(1.1),
      floor: ourAppend(10_000),
      ours: ourAppend(40_000)
    ),
    Row(
      "increment, two threads",
      atMost: .ratio(2),
      floor: Workload(n) {
        let variable = FloorVariable(0)
        return { onThreads(2) { for _ in 0..<n / 2 { variable.modify { $0 += 1 } } } }
      },
      ours: Workload(n) {
        let variable = Variable(0)
        return {
          onThreads(2) { for _ in 0..<n / 2 { variable.value += 1 } }
          precondition(variable.value == n, "Increments are lost.")
        }
      }
    ),
    Row(
      "set, two threads, one observer",
      atMost: .ratio(2.5),
      floor: Workload(n) {
        let variable = FloorVariable(0)
        variable.observe { _ in }
        return { onThreads(2) { for number in 0..<n / 2 { variable.value = number } } }
      },
      ours: Workload(n) {
        let variable = Variable(0)
        let dust = variable.observe { _ in }
        return {
          onThreads(2) { for number in 0..<n / 2 { variable.value = number } }
          withExtendedLifetime(dust) {}
        }
      }
    ),
    Row(
      "an effect, run and awaited",
      atMost: .ratio(3),
      floor: .tasks(n / 10) { action, state in Task { action.invoke(state) } },
      ours: .tasks(n / 10) { [effects = Effects(.latest)] action, state in
        effects.run { effect in action.invoke(state, as: effect) }
      }
    ),
    Row(bytes: "a variable", atMost: 112, floor: .floorVariable, ours: .variable),
    Row(bytes: "an observer", atMost: 112, floor: .floorObserver, ours: .observer),
  ]
}
