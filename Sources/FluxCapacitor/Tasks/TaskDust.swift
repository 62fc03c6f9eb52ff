/// Dust of a task: cleaning it cancels the task.
final class TaskDust: Dust, @unchecked Sendable {
  /// Guarded by `lock`; there from the start of the task to its cancellation or its end.
  @exclusivity(unchecked) private var cancelTask: (@Sendable () -> Void)?

  /// Notes that the task has ended, where it is accounted for.
  private let noteEnd: (@Sendable () -> Void)?

  /// Dust of a task that is yet to be started.
  init(startedIn fileID: StaticString, line: UInt) {
    noteEnd = PendingWork.current?.begin { "The task of \(fileID):\(line) is running." }
    super.init(isDirect: true) { unsafeDowncast($0, to: TaskDust.self).cancel() }
  }

  /// Starts the task, in one step: who cleans either finds it started, or it starts with the
  /// knowledge that it was cleaned before.
  func start<Success, Failure>(
    _ start: (_ isCleaned: Bool) -> Task<Success, Failure>
  ) -> Task<Success, Failure> {
    lock.withLock {
      let isCleaned = isCleaned
      let task = start(isCleaned)
      if !isCleaned { cancelTask = task.cancel }
      return task
    }
  }

  /// Cancels the task, unless it is over; this Dust is cleaned.
  func cancel() {
    lock.withLock { cancelTask }?()
    forgetTask()
  }

  /// Becomes cleaned without cancelling the task, which has ended by itself.
  func retire() {
    forgetTask()
    clean()
    noteEnd?()
  }

  /// Lets go of the task outside the lock: its result may be gone with it.
  private func forgetTask() {
    let forgotten = lock.withLock {
      defer { cancelTask = nil }
      return cancelTask
    }
    withExtendedLifetime(forgotten) {}
  }

  /// Several threads may clean it at once, and for each of them the task has been cancelled when it is
  /// through: so the first takes nothing away from the others, and each of them cancels.
  override func didClean() { cancel() }

  override var isOver: Bool { isCleaned && lock.withLock { cancelTask == nil } }
}
