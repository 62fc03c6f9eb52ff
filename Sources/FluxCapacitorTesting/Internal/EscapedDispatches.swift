import FluxCapacitor
import Testing

/// Reports states that escape from isolated tests to the process-wide dispatcher.
///
/// Work outside a test's task has no current test, and can dispatch states to the process-wide dispatcher.
/// If the state reaches no store, or if an isolated test has a store for the state, the state counts as
/// escaped. The origin of the state is never certain, so the message calls a test only a possible origin.
final class EscapedDispatches: @unchecked Sendable {
  static let shared = EscapedDispatches()

  /// A test case that is running with its own dispatcher.
  final class Isolation: Sendable {
    let test: Test
    let dispatcher: Dispatcher

    init(_ test: Test, _ dispatcher: Dispatcher) {
      self.test = test
      self.dispatcher = dispatcher
    }
  }

  // `lock` guards `running` and `escaped`.
  private let lock = Lock()
  private var running: [Isolation] = []
  private var escaped: [(isolation: Isolation, sentence: String)] = []

  private init() {
    // The hook stays until the process ends, so no code keeps the hook's Dust.
    _ = Dispatcher.processWide.addHook { event in
      EscapedDispatches.shared.inspect(event.state, reachingStores: !event.stores.isEmpty)
    }
  }

  func begin(_ dispatcher: Dispatcher, for test: Test) -> Isolation {
    let isolation = Isolation(test, dispatcher)
    lock.withLock { running.append(isolation) }
    return isolation
  }

  /// Ends an isolation, and fails its test for each escaped state. The test's task calls this method.
  func end(_ isolation: Isolation) {
    let sentences = lock.withLock {
      running.removeAll { $0 === isolation }
      defer { escaped.removeAll { $0.isolation === isolation } }
      return escaped.filter { $0.isolation === isolation }.map(\.sentence)
    }
    for sentence in sentences {
      Issue.record(
        Comment(rawValue: sentence),
        sourceLocation: isolation.test.sourceLocation
      )
    }
  }

  private func inspect(_ state: any DispatchState, reachingStores: Bool) {
    // A test without the trait can use the process-wide dispatcher.
    guard Test.current == nil else { return }
    // The text of a state is user code.
    let state = (value: state, text: shownState(state))
    let unclaimed = lock.withLock { () -> String? in
      let owners = running.filter { $0.dispatcher.hasStores(for: state.value) }
      if owners.isEmpty, reachingStores { return nil }
      let suspects = owners.isEmpty ? running : owners
      let sentence = sentence(for: state.text, suspects: suspects)
      guard suspects.count == 1 else { return sentence }
      escaped.append((suspects[0], sentence))
      return nil
    }
    // No single test is the likely origin of the state, so the report fails the run instead of a test.
    if let unclaimed { Issue.record(Comment(rawValue: unclaimed)) }
  }

  /// Returns the message about an escaped state. The caller must hold the lock.
  private func sentence(for state: String, suspects: [Isolation]) -> String {
    let origin =
      if running.isEmpty {
        "No isolated test is running anymore: the work has outlived its test."
      } else if suspects.count == 1 {
        """
        It seems to come from this test, but it may have come from another one of the running tests, \
        or from a test without the trait: \(names(of: running)).
        """
      } else {
        "It came from one of these tests, or from a test without the trait: \(names(of: suspects))."
      }
    return """
      \(state) reached the process's dispatcher instead of an isolated test's dispatcher, \
      because it was invoked outside the test's task: on a dispatch queue, on a thread or in a detached \
      task. Let the action keep the dispatcher that is shared when the action is created: \
      `let dispatcher = Dispatcher.shared`. \(origin)
      """
  }

  /// The names of at most five tests, and the number of the other tests.
  private func names(of isolations: [Isolation]) -> String {
    let names = Set(isolations.map(\.test.name)).sorted()
    let rest = names.count - 5
    return names.prefix(5).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
