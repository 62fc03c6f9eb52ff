/// A Dust that cancels a task when the Dust is cleaned.
final class TaskDust: Dust, @unchecked Sendable {
  /// A closure that cancels the task, or `nil` if the task is cancelled or has ended. Guarded by `lock`.
  private var cancelTask: (@Sendable () -> Void)?

  /// The task in the dispatcher's record of pending work.
  private let piece: PendingWork.Ticket

  init(
    of task: TaskID,
    cancelling cancel: @escaping @Sendable () -> Void,
    startedIn fileID: StaticString,
    line: UInt
  ) {
    cancelTask = cancel
    piece = PendingWork.current.begin(.task(fileID: fileID, line: line), by: task)
    super.init { $0.finishCleaning() }
  }

  /// Cleans the Dust of a task that has ended, without cancelling the task.
  func retire() {
    forgetTask()
    clean()
    piece.end()
  }

  /// Releases the task after unlocking, because the release can run the `deinit` of the task's result.
  private func forgetTask() {
    let forgotten = lock.withLock {
      defer { cancelTask = nil }
      return cancelTask
    }
    withExtendedLifetime(forgotten) {}
  }

  /// Cancels the task, unless the task has ended.
  ///
  /// Several threads can clean this Dust at the same time. The task must be cancelled before any of these
  /// threads returns from `clean()`. So each thread cancels the task first, and then forgets the task.
  override func finishCleaning() {
    lock.withLock { cancelTask }?()
    forgetTask()
  }

  override var isOver: Bool { isCleaned && lock.withLock { cancelTask == nil } }
}
