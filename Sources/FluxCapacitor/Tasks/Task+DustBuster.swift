extension Task {
  /// Puts this task into a bag, which cancels it when the bag is cleaned or deallocated.
  ///
  /// The bag keeps neither the task nor its result once the task has ended. As with every task,
  /// what its closure captures lives until the task ends, and cancellation is a request, which the
  /// operation responds to at its next suspension or its next check of `Task.isCancelled`.
  ///
  /// ```swift
  /// final class ClockView: Sendable {
  ///   private let dustBuster = DustBuster()
  ///
  ///   init(seconds: Constant<Int>) {
  ///     Task {
  ///       for await second in seconds.values { print(second) }
  ///     }
  ///     .cleaned(by: dustBuster)
  ///   }
  /// }
  /// ```
  ///
  /// - Complexity: O(1), amortized.
  ///
  /// - Parameters:
  ///   - dustBuster: The bag.
  ///   - fileID: The file by which a test that waits for the task names it.
  ///   - line: The line by which a test that waits for the task names it.
  public func cleaned(
    by dustBuster: DustBuster,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let dust = TaskDust(cancelling: cancel, startedIn: fileID, line: line)
    dustBuster.insert(dust)
    // Retires the Dust when the task has ended, so that the bag can forget it. Nothing cancels this
    // task; it ends with the one that it waits for. It is detached, to keep no task-local value, and
    // in the background, not to raise that one's priority.
    Task<Void, Never>.detached(priority: .background) {
      _ = await result
      dust.retire()
    }
  }
}
