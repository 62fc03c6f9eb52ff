extension Task {
  /// Adds this task to a bag, which cancels the task when the bag is cleaned or deallocated.
  ///
  /// After the task has ended, the bag keeps neither the task nor its result. As with every task, the
  /// values that its closure captures live until the task ends. Cancellation is a request: the operation
  /// responds at its next suspension or its next check of `Task.isCancelled`.
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
  ///   - fileID: The file of the call, for a test that waits for the task.
  ///   - line: The line of the call, for a test that waits for the task.
  public func cleaned(
    by dustBuster: DustBuster,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let dust = TaskDust(cancelling: cancel, startedIn: fileID, line: line)
    dustBuster.insert(dust)
    // This task retires the Dust when the original task has ended, so that the bag can forget the Dust.
    // Nothing cancels this task, because it ends with the original one. It is detached, so that it keeps no
    // task-local value. It runs in the background, so that it doesn't raise the original task's priority.
    Task<Void, Never>.detached(priority: .background) {
      _ = await result
      dust.retire()
    }
  }
}
