/// Dust of a task: cleaning it cancels the task.
final class TaskDust: Dust, @unchecked Sendable {
  /// Guarded by `lock`; there from the start of the task to its cancellation or its end.
  @exclusivity(unchecked) private var cancelTask: (@Sendable () -> Void)?

  /// Notes that the task has ended, where its beginning was noted.
  private let noteEnd: (@Sendable () -> Void)?

  /// Dust of a task that is yet to be started.
  init(startedIn fileID: StaticString, line: UInt) {
    noteEnd = PendingWork.current?.begin { "The task of \(fileID):\(line) is running." }
    super.init(isDirect: true) { $0.didClean() }
  }

  /// Starts the task, in one step: a thread that cleans either finds it started, or it starts with the
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

  /// Becomes cleaned without cancelling the task, which has ended by itself.
  func retire() {
    forgetTask()
    clean()
    noteEnd?()
  }

  /// Releases the task outside the lock: its result may go with it.
  private func forgetTask() {
    let forgotten = lock.withLock {
      defer { cancelTask = nil }
      return cancelTask
    }
    withExtendedLifetime(forgotten) {}
  }

  /// Cancels the task, unless it is over.
  ///
  /// Several threads may clean this Dust at once, and for each of them the task has been cancelled when
  /// it returns: so each of them cancels, and none takes the task away from the others before.
  override func didClean() {
    lock.withLock { cancelTask }?()
    forgetTask()
  }

  override var isOver: Bool { isCleaned && lock.withLock { cancelTask == nil } }
}
