/// The Dust of a task: cleaning it cancels the task.
final class TaskDust: Dust, @unchecked Sendable {
  /// Guarded by `lock`; set until the cancellation of the task or its end.
  @exclusivity(unchecked) private var cancelTask: (@Sendable () -> Void)?

  /// Notes the end of the task in the pending work that it is part of.
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

  /// Releases the task after unlocking, because its result may be released with it.
  private func forgetTask() {
    let forgotten = lock.withLock {
      defer { cancelTask = nil }
      return cancelTask
    }
    withExtendedLifetime(forgotten) {}
  }

  /// Cancels the task, unless it is over.
  ///
  /// Several threads may clean this Dust at the same time, and each of them promises that the task
  /// is cancelled when it returns. So each of them cancels it, and only then forgets it.
  override func finishCleaning() {
    lock.withLock { cancelTask }?()
    forgetTask()
  }

  override var isOver: Bool { isCleaned && lock.withLock { cancelTask == nil } }
}
