/// The Dust of a task, which cancels the task when it is cleaned.
final class TaskDust: Dust, @unchecked Sendable {
  /// Cancels the task. Set until the task is cancelled or has ended, and guarded by `lock`.
  @exclusivity(unchecked) private var cancelTask: (@Sendable () -> Void)?

  /// Notes the task's end in the pending work, if the task is part of it.
  private let noteEnd: (@Sendable () -> Void)?

  init(
    cancelling cancel: @escaping @Sendable () -> Void,
    startedIn fileID: StaticString,
    line: UInt
  ) {
    cancelTask = cancel
    noteEnd = PendingWork.current?.begin { "The task of \(fileID):\(line) is running." }
    super.init { $0.finishCleaning() }
  }

  /// Cleans the Dust without cancelling the task, which has ended by itself.
  func retire() {
    forgetTask()
    clean()
    noteEnd?()
  }

  /// Releases the task after unlocking, because this may also release its result.
  private func forgetTask() {
    let forgotten = lock.withLock {
      defer { cancelTask = nil }
      return cancelTask
    }
    withExtendedLifetime(forgotten) {}
  }

  /// Cancels the task, unless it has ended.
  ///
  /// Several threads may clean this Dust at the same time, and the task must be cancelled when any of these
  /// calls returns. So each thread cancels the task first, and only then forgets it.
  override func finishCleaning() {
    lock.withLock { cancelTask }?()
    forgetTask()
  }

  override var isOver: Bool { isCleaned && lock.withLock { cancelTask == nil } }
}
