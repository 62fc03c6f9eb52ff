import FluxCapacitor
import FluxCapacitorDebugging

/// Returns the rows for a log of the one changed element in a collection of 10,000.
///
/// The floor looks for the change in code that knows the types of the elements.
func loggingRows() -> [Row] {
  let numbers = Array(0..<10_000)
  let entries = Dictionary(uniqueKeysWithValues: numbers.map { ("\($0)", "old \($0)") })
  return [
    Row(
      "log a changed entry of a dictionary of 10,000",
      atMost: .absolute(2_000_000),
      floor: search(entries) {
        $0["\($1)"] = "new"
      } difference: { old, new in
        new.filter { old[$0.key] != $0.value }.count
      },
      ours: log(entries) {
        $0["\($1)"] = "new"
      }
    ),
    Row(
      "remember a changed entry of a dictionary of 10,000",
      atMost: .absolute(2_000_000),
      floor: search(entries) {
        $0["\($1)"] = "new"
      } difference: { old, new in
        new.filter { old[$0.key] != $0.value }.count
      },
      ours: log(entries, with: { TimeCircuits($0) }) { $0["\($1)"] = "new" }
    ),
    Row(
      "log a changed row of a list of 10,000",
      atMost: .absolute(2_000_000),
      floor: search(numbers.map { LoggedRow(id: $0, title: "old \($0)") }) {
        $0[$1].title = "new"
      } difference: { old, new in
        zip(old, new).filter { $0 != $1 }.count
      },
      ours: log(numbers.map { LoggedRow(id: $0, title: "old \($0)") }) { $0[$1].title = "new" }
    ),
    Row(
      "log a new element of a set of 10,000",
      atMost: .absolute(2_000_000),
      floor: search(Set(numbers.map { "\($0)" })) {
        $0.insert("new \($1)")
      } difference: { old, new in
        new.filter { !old.contains($0) }.count
      },
      ours: log(Set(numbers.map { "\($0)" })) { $0.insert("new \($1)") }
    ),
  ]
}

private struct LoggedRow: Identifiable, Equatable {
  let id: Int
  var title: String
}

private func search<Value: Sendable>(
  _ value: Value,
  _ change: @escaping (inout Value, Int) -> Void,
  difference: @escaping (Value, Value) -> Int
) -> Workload {
  Workload(10) {
    var value = value
    return {
      for number in 0..<10 {
        let old = value
        change(&value, number * 997)
        blackHole(difference(old, value))
      }
    }
  }
}

private func log<Value: Sendable>(
  _ value: Value,
  with tool: @escaping (Dispatcher) -> AnyObject = { dispatcher in
    DispatchLogger(dispatcher, format: .textWithChanges) { blackHole($0) }
  },
  _ change: @escaping (inout Value, Int) -> Void
) -> Workload {
  Workload(10) {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { LoggedStore<Value>.instantiate() }
    store.value.value = value
    let tool = tool(dispatcher)
    return {
      for number in 0..<10 {
        dispatcher.dispatch(LoggedState<Value> { change(&$0, number * 997) })
      }
      withExtendedLifetime((store, tool)) {}
    }
  }
}

private struct LoggedState<Value: Sendable>: DispatchState {
  typealias RelatedStoreType = LoggedStore<Value>

  let change: @Sendable (inout Value) -> Void

  init(_ change: @escaping (inout Value) -> Void) {
    // Only the benchmark's thread calls the closure.
    nonisolated(unsafe) let change = change
    self.change = { change(&$0) }
  }
}

private final class LoggedStore<Value: Sendable>: Storable {
  let value = Variable<Value?>(nil)

  func reduce(with state: LoggedState<Value>) {
    value.modify { value in
      guard var changed = value.take() else { return }
      state.change(&changed)
      value = changed
    }
  }
}
