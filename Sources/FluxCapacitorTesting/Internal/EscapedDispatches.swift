import FluxCapacitor
import Testing

/// Reports dispatches that have escaped from isolated tests to the process's dispatcher.
///
/// Work that has left its test's task has no current test. While isolated tests run, such work may dispatch a
/// state to that dispatcher. The state has escaped from one of these tests if it reaches no store, or if one
/// of the tests has a store for it. The exact test can't be known for sure, and the message says so.
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

  // `lock` guards both `running` and `escaped`.
  private let lock = Lock()
  private var running: [Isolation] = []
  private var escaped: [(isolation: Isolation, sentence: String)] = []

  private init() {
    // The hook lasts as long as the process, so its Dust is not kept.
    _ = Dispatcher.processWide.addHook { event in
      EscapedDispatches.shared.inspect(event.state, reachingStores: !event.stores.isEmpty)
    }
  }

  func begin(_ dispatcher: Dispatcher, for test: Test) -> Isolation {
    let isolation = Isolation(test, dispatcher)
    lock.withLock { running.append(isolation) }
    return isolation
  }

  /// Ends an isolation, and fails its test for each state that has escaped from it. The test's task calls
  /// this.
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
    // A test that is not isolated may use the process's dispatcher.
    guard Test.current == nil else { return }
    let unclaimed = lock.withLock { () -> String? in
      let owners = running.filter { $0.dispatcher.hasStores(for: state) }
      if owners.isEmpty, reachingStores { return nil }
      let suspects = owners.isEmpty ? running : owners
      let sentence = sentence(for: state, suspects: suspects)
      guard suspects.count == 1 else { return sentence }
      escaped.append((suspects[0], sentence))
      return nil
    }
    // It isn't known which test the state came from.
    if let unclaimed { Issue.record(Comment(rawValue: unclaimed)) }
  }

  /// Returns the message about an escaped state. The lock must be held.
  private func sentence(for state: any DispatchState, suspects: [Isolation]) -> String {
    let others = running.filter { isolation in !suspects.contains { $0 === isolation } }
    let origin =
      if running.isEmpty {
        "No isolated test is running anymore: the work has outlived its test."
      } else if suspects.count > 1 {
        "It came from one of these tests, or from a test without the trait: \(names(of: suspects))."
      } else if !others.isEmpty {
        """
        It seems to come from this test, which has a store for it. But it may have come from one of \
        these tests, or from a test without the trait: \(names(of: others)).
        """
      } else {
        "It came from this test, or from a test without the trait."
      }
    return """
      \(shownState(state)) reached the process's dispatcher instead of an isolated test's dispatcher, \
      because it was invoked outside the test's task: on a dispatch queue, on a thread or in a detached \
      task. Let the action keep the dispatcher that is shared when the action is created: \
      `let dispatcher = Dispatcher.shared`. \(origin)
      """
  }

  private func names(of isolations: [Isolation]) -> String {
    Set(isolations.map(\.test.name)).sorted().joined(separator: ", ")
  }
}
