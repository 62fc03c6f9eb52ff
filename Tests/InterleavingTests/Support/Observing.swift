import FluxCapacitor
import FluxCapacitorTestSupport
import Observation

// An observation lasts without its Dust. Therefore, only `logLifetime` returns the Dust.

extension ObservationSource {
  /// Observes this source, and returns a log of the changes or events.
  func logChanges() -> Log<Element> { logChanges { $0 } }

  /// Observes this source, and returns a log of the entries that a closure makes from the changes or events.
  func logChanges<Entry>(_ entry: @escaping @Sendable (Element) -> Entry) -> Log<Entry> {
    let log = Log<Entry>()
    _ = observe(on: .current, ignoreFirst: true) { log.append(entry($0)) }
    return log
  }

  /// Observes this source, and appends the current value and each change to a log.
  func observe(in log: Log<Element>) { observe(in: log) { $0 } }

  /// Observes this source, and appends the entries that a closure makes from the current value and each change.
  func observe<Entry>(in log: Log<Entry>, _ entry: @escaping @Sendable (Element) -> Entry) {
    _ = observe(on: .current, ignoreFirst: false) { log.append(entry($0)) }
  }

  /// Observes this source. A log receives the changes, and "freed" when the observer's closure is released. If the
  /// observer has a name, the entries begin with that name.
  @discardableResult
  func logLifetime(
    in log: Log<String>,
    as name: String = "",
    on queue: ExecuteQueue = .current
  ) -> Dust {
    let prefix = name.isEmpty ? "" : "\(name) "
    let ending = AtEnd { log.append("\(prefix)freed") }
    return observe(on: queue, ignoreFirst: true) { value in
      withExtendedLifetime(ending) { log.append("\(prefix)\(value)") }
    }
  }
}

/// Reads a value inside `withObservationTracking`.
@discardableResult
func track<Value>(
  _ value: @autoclosure () -> Value,
  onChange: @escaping @Sendable () -> Void
) -> Value {
  withObservationTracking {
    value()
  } onChange: {
    onChange()
  }
}
