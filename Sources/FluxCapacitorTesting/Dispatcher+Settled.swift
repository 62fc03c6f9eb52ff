import Dispatch
import FluxCapacitor

extension Dispatcher {
  /// Waits until all the work that this dispatcher tracks has ended.
  ///
  /// The dispatcher tracks:
  ///
  /// - states that the dispatcher is reducing or delivering, and states that were invoked inside a reduce
  /// - pending calls, on any queue, of observers that were added while this dispatcher was
  ///   `Dispatcher.shared`
  /// - operations of `Effects` that were run, and tasks that were added to a `DustBuster`, while this
  ///   dispatcher was `Dispatcher.shared`
  ///
  /// ```swift
  /// action.fetch("octocat")
  /// await Dispatcher.shared.settled()
  /// #expect(store.names.value == ["octocat/FluxCapacitor"])
  /// ```
  ///
  /// A task that iterates over an endless sequence of values never ends by itself, so cancel the task
  /// before you call this method. The dispatcher doesn't track other tasks, or variables that other threads
  /// set outside a dispatch. The process-wide dispatcher doesn't track work that began before a test first
  /// replaced `Dispatcher.shared`.
  ///
  /// - Parameters:
  ///   - limit: The maximum time to wait. If the wait times out, the test fails with a list of the
  ///     unfinished work.
  ///   - isolation: The actor of the caller.
  ///   - fileID: The location that a failure refers to, which is the location of the call by
  ///     default.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  /// - Returns: Whether all the tracked work has ended.
  @discardableResult
  public func settled(
    within limit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async -> Bool {
    // A dispatcher tracks its work only while the dispatcher has a hook.
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

  /// A list of the unfinished work, with one line for each piece of work.
  private var pendingWorkList: String {
    pendingWork.descriptions.map { "\n  \($0)" }.joined()
  }

  /// A hint for a failure message, which lists the unfinished work. The hint is empty if all work has
  /// ended.
  var hintAtUnsettled: String {
    let list = pendingWorkList
    guard !list.isEmpty else { return "" }
    return """

      Should the operation end with `await Dispatcher.shared.settled()`? Still under way:\(list)
      """
  }

  /// If a reduce or a transaction is running on another thread, tracks the reduce or transaction as
  /// unfinished work.
  private func awaitReduce() {
    let end = pendingWork.begin { "A state is being reduced, or a transaction is running." }
    DispatchQueue.global().async {
      self.read {}
      end()
    }
  }
}
