import Dispatch
import FluxCapacitor

extension Dispatcher {
  /// Waits until all work that this dispatcher knows of has ended.
  ///
  /// It knows of:
  ///
  /// - states that are being reduced or delivered, or that were invoked inside a reduce;
  /// - calls of observers that are waiting on any queue, if the observers were added where this dispatcher is
  ///   `Dispatcher.shared`;
  /// - operations of `Effects` that were run there, and tasks that were added to a `DustBuster` there.
  ///
  /// ```swift
  /// action.fetch("octocat")
  /// await Dispatcher.shared.settled()
  /// #expect(store.names.value == ["octocat/FluxCapacitor"])
  /// ```
  ///
  /// A task that iterates over an endless sequence of values is under way until it is cancelled. The
  /// dispatcher doesn't know of other tasks, or of variables that other threads set outside a dispatch. The
  /// process-wide dispatcher doesn't know of work that began before a test first replaced it.
  ///
  /// - Parameters:
  ///   - limit: How long to wait at most. When the time is up, the test fails, and lists the work that is
  ///     still under way.
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
    // The dispatcher only keeps track of its work while it has a hook.
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

  /// A list of the work that is still under way, one line for each piece.
  private var pendingWorkList: String {
    pendingWork.descriptions.map { "\n  \($0)" }.joined()
  }

  /// A hint for a failure that lists the work still under way. It is empty if all work has ended.
  var hintAtUnsettled: String {
    let list = pendingWorkList
    guard !list.isEmpty else { return "" }
    return """

      Should the operation end with `await Dispatcher.shared.settled()`? Still under way:\(list)
      """
  }

  /// Counts a reduce or a transaction on another thread as work under way, until it has ended.
  private func awaitReduce() {
    let end = pendingWork.begin { "A state is being reduced, or a transaction is running." }
    DispatchQueue.global().async {
      self.read {}
      end()
    }
  }
}
