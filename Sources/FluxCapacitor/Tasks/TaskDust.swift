/// A Dust that cancels a task when the Dust is cleaned.
final class TaskDust: Dust, @unchecked Sendable {
  /// A closure that cancels the task, or `nil` if the task is cancelled or has ended. Guarded by `lock`.
  private var cancelTask: (@Sendable () -> Void)?

  init(cancelling cancel: @escaping @Sendable () -> Void) {
    cancelTask = cancel
    super.init { _ in }
  }

  /// Releases the task after unlocking, because the release can run the `deinit` of the task's result.
  func forgetTask() {
    let forgotten = lock.withLock { cancelTask.take() }
    withExtendedLifetime(forgotten) {}
  }

  /// Cancels the task, unless the task has ended.
  ///
  /// Several threads can clean this Dust at the same time. The task must be cancelled before any of these
  /// threads returns from `clean()`. So each thread cancels the task first, and then forgets the task.
  override func finishCleaning() {
    let cancelTask = lock.withLock { self.cancelTask }
    cancelTask?()
    releaseAfterUnlocking(cancelTask)
    forgetTask()
  }

  override var isOver: Bool { lock.withLock { cancelTask == nil } }
}
