extension Task {
  /// Adds this task to a bag, which cancels the task when the bag is cleaned or deallocated.
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
  /// After the task has ended, the bag keeps neither the task nor its result. What the task's closure captures lives until
  /// the task ends.
  ///
  /// > Note: Cancellation is a request. The task's closure can respond where it checks `Task.isCancelled` or awaits a
  /// function that handles cancellation.
  ///
  /// ``Dispatcher/settled()`` waits for the task, except while the task only waits for the next element of a sequence such
  /// as ``PrimitiveValue/values``.
  ///
  /// - Complexity: O(1), amortized.
  ///
  /// - Parameters:
  ///   - dustBuster: The bag that cancels the task.
  ///   - fileID: The file of the call, for the message of a test that waits for the task.
  ///   - line: The line of the call, for the message of a test that waits for the task.
  public func cleaned(
    by dustBuster: DustBuster,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let piece = PendingWork.current.begin(.task(fileID: fileID, line: line))
    piece.belong(to: TaskID(self))
    let dust = TaskDust(cancelling: cancel)
    dustBuster.insert(dust)
    // The Dust forgets the task when the original task has ended, so that the bag can forget the
    // Dust. The detached task ends with the original task, so no code cancels the detached task. A detached
    // task keeps no task-local values. Background priority doesn't raise the original task's priority, and
    // doesn't delay the detached task, which waits for no thread.
    Task<Void, Never>.detached(executorPreference: ImmediateExecutor.shared, priority: .background)
    {
      _ = await result
      dust.forgetTask()
      piece.end()
    }
  }
}

/// An executor that runs a job on the thread that makes the job ready to run.
private final class ImmediateExecutor: TaskExecutor {
  static let shared = ImmediateExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
