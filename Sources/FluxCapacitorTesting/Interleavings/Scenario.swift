/// Collects the threads and checks that
/// ``everyInterleaving(preemptions:limit:replaying:fileID:filePath:line:column:_:)-8ucnw`` runs.
public final class Scenario {
  enum Body: Sendable {
    case thread(@Sendable () throws -> Void)
    case task(@Sendable () async throws -> Void)
  }

  var threads: [(name: String?, isMain: Bool, isLast: Bool, body: Body)] = []
  var checks: [() throws -> Void] = []

  /// Adds a thread. If its body throws an error, the schedule fails.
  ///
  /// - Parameters:
  ///   - name: The name of the thread or task in failure messages. By default, it contains a number.
  ///   - body: The work of the thread.
  public func thread(_ name: String? = nil, _ body: @escaping @Sendable () throws -> Void) {
    threads.append((name, false, false, .thread(body)))
  }

  /// Adds a task. Each part of it between two suspensions runs as a thread. If its body throws an error, the schedule
  /// fails.
  ///
  /// The body can be isolated to the main actor, as in `scenario.task { @MainActor in model.load() }`.
  ///
  /// - Parameters:
  ///   - name: The name of the thread or task in failure messages. By default, it contains a number.
  ///   - body: The work of the task.
  public func task(_ name: String? = nil, _ body: @escaping @Sendable () async throws -> Void) {
    threads.append((name, false, false, .task(body)))
  }

  /// Adds a thread that plays the role of the main queue.
  package func mainThread(_ body: @escaping @Sendable () throws -> Void) {
    threads.append(("main", true, false, .thread(body)))
  }

  /// Adds a thread that begins after all other threads have ended. Several such threads run one after the other.
  package func lastThread(_ body: @escaping @Sendable () throws -> Void) {
    threads.append(("the last thread", false, true, .thread(body)))
  }

  /// Adds a check of the result, which runs at the end of each schedule, after all threads have ended.
  ///
  /// - Parameter body: If the result is wrong, this closure throws an error or fails an expectation of Swift Testing.
  public func check(_ body: @escaping () throws -> Void) {
    checks.append(body)
  }
}

// Only the closure that sets up a scenario uses a `Scenario` object.
@available(*, unavailable)
extension Scenario: Sendable {}
