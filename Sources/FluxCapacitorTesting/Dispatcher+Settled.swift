import Dispatch
import FluxCapacitor

extension Dispatcher {
  /// Waits until nothing that this dispatcher knows of is under way.
  ///
  /// It knows of:
  ///
  /// - states that are being reduced or delivered, or that were invoked inside a reduce;
  /// - calls, on their way to any queue, of observers that were added where this dispatcher is
  ///   `Dispatcher.shared`;
  /// - operations of `Effects` that were run there, and tasks that were put into a `DustBuster` there.
  ///
  /// ```swift
  /// action.fetch("octocat")
  /// await Dispatcher.shared.settled()
  /// #expect(store.names.value == ["octocat/FluxCapacitor"])
  /// ```
  ///
  /// A task that waits for values without end is under way until it is cancelled. The dispatcher
  /// doesn't know of other tasks, of variables that other threads set outside a dispatch and, if it
  /// is the process-wide one, of what began before any test replaced it.
  ///
  /// - Parameters:
  ///   - limit: How long to wait at most. When the time is up, the test fails, with a list of what
  ///     is still under way.
  ///   - isolation: The actor of the caller.
  ///   - fileID: Where a failure is reported: by default, at the call.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  /// - Returns: Whether the dispatcher has settled.
  @discardableResult
  public func settled(
    within limit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async -> Bool {
    // Without a hook, the dispatcher does not note what is under way.
    let hook = addHook { _ in }
    defer { hook.clean() }
    awaitReduce()
    let pendingWork = pendingWork
    let hasSettled = await wait(atMost: limit) { pendingWork.whenIdle($0) }
    if !hasSettled {
      Place(fileID, filePath, line, column)
        .fail("The dispatcher has not settled within \(limit). Still under way:\(pendingWorkList)")
    }
    return hasSettled
  }

  /// What is still under way, a line each.
  private var pendingWorkList: String {
    pendingWork.descriptions.map { "\n  \($0)" }.joined()
  }

  /// Says, to somebody who misses something, that not all of it has come to its end.
  var hintAtUnsettled: String {
    let list = pendingWorkList
    guard !list.isEmpty else { return "" }
    return """

      Should the operation end with `await Dispatcher.shared.settled()`? Still under way:\(list)
      """
  }

  /// Counts the reduce that another thread may be in as under way, until it has ended.
  private func awaitReduce() {
    let end = pendingWork.begin { "A state is being reduced, or a transaction runs." }
    DispatchQueue.global().async {
      self.read {}
      end()
    }
  }
}
