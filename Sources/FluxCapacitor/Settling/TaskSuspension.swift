/// A suspension of the current task, for `settled()`.
///
/// The process has one table of suspended tasks, because a task's work can count for any dispatcher. The table
/// also contains tasks without such work, because a task can suspend before its creator puts it into a bag.
///
/// Another thread may end a suspension before this thread begins it, because the table counts suspensions. A
/// task begins a suspension only after its former suspension has ended. Outside a task, the methods do nothing.
@usableFromInline package struct TaskSuspension: Sendable {
  private let task = TaskID()
  private let kind: PendingWork.Suspension

  package init(_ kind: PendingWork.Suspension) { self.kind = kind }

  package func begin() {
    change { suspended in
      suspended.kind = kind
      suspended.count += 1
    }
  }

  /// Ends the suspension. The caller resumes the task afterward.
  package func end() { change { $0.count -= 1 } }

  private func change(_ body: (inout SuspendedTask) -> Void) {
    guard let task else { return }
    let pieces = SuspendedTask.update(task) { suspended in
      body(&suspended)
      return suspended.pieces
    }
    for piece in pieces { piece.noteSuspension() }
  }
}

/// The suspension and the pieces of work of a task.
struct SuspendedTask {
  /// The kind of the latest suspension.
  fileprivate var kind: PendingWork.Suspension?

  /// One while the task is suspended, and otherwise zero. The count is negative if another thread has already
  /// ended the task's next suspension.
  fileprivate var count = 0

  var pieces: [PendingWork.Ticket] = []

  /// The kind of the task's suspension, or nil if the task may be running.
  var suspension: PendingWork.Suspension? { count > 0 ? kind : nil }

  /// The tasks that are suspended or have a piece of work.
  private static let all = Guarded([TaskID: SuspendedTask]())

  /// Changes a task's entry in the table.
  ///
  /// The scheduler of a scenario can't switch threads while a thread holds the table's lock. So a thread can
  /// call this method inside the lock of a record.
  static func update<Result>(_ task: TaskID, _ body: (inout SuspendedTask) -> Result) -> Result {
    all.withLock { all in
      var suspended = all[task] ?? SuspendedTask()
      let result = body(&suspended)
      let isForgotten = suspended.pieces.isEmpty && suspended.count == 0
      all[task] = isForgotten ? nil : suspended
      return result
    }
  }
}
