import Synchronization

/// A suspension of the current task, for `settled()`.
///
/// The process has one table of suspended tasks, because a task's work can count for any dispatcher. The table
/// also contains tasks without such work, because a task can suspend before its creator puts it into a bag.
///
/// Another thread may end a suspension before this thread begins it, because the table counts suspensions.
/// Outside a task, the methods do nothing.
@usableFromInline package struct TaskSuspension: Sendable {
  package enum Kind {
    /// The task continues after other work or after a pause.
    case resting

    /// The task continues only if an element arrives.
    case idle
  }

  private let task = TaskID()
  private let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  package func begin() { count(1) }

  /// Ends the suspension. The caller resumes the task afterward.
  package func end() { count(-1) }

  private func count(_ difference: Int) {
    guard let task else { return }
    let pieces = SuspendedTask.update(task) { suspended in
      switch kind {
      case .resting: suspended.resting += difference
      case .idle: suspended.idle += difference
      }
      return suspended.pieces
    }
    for piece in pieces { piece.record.noteSuspension(of: piece.number) }
  }
}

/// A record of pieces of work, which learns when the task of a piece is suspended or continues.
protocol WorkRecord: AnyObject, Sendable {
  /// Calls of this method can overlap. So the method has to look up the task's present suspension.
  func noteSuspension(of piece: Int)
}

/// The suspensions and the pieces of work of a task.
struct SuspendedTask {
  typealias Piece = (record: any WorkRecord, number: Int)

  fileprivate var resting = 0
  fileprivate var idle = 0
  fileprivate var pieces: [Piece] = []

  /// The tasks that are suspended or have a piece of work.
  ///
  /// The scheduler of a scenario can't switch threads while a thread holds this mutex. So a thread can hold
  /// this mutex inside the lock of a record.
  private static let all = Mutex<[TaskID: SuspendedTask]>([:])

  /// Makes the synchronization inside `all` visible to the thread sanitizer, as `Lock.holder` does.
  private static let order = Atomic<UInt32>(0)

  private static func withAll<Result>(_ body: (inout [TaskID: SuspendedTask]) -> Result) -> Result {
    all.withLock { tasks in
      // The mutex orders all accesses by itself. Acquiring and releasing cost nothing on x86.
      _ = order.load(ordering: .acquiring)
      defer { order.store(0, ordering: .releasing) }
      return body(&tasks)
    }
  }

  fileprivate static func update<Result>(
    _ task: TaskID,
    _ body: (inout SuspendedTask) -> Result
  ) -> Result {
    withAll { tasks in
      var suspended = tasks[task] ?? SuspendedTask()
      let result = body(&suspended)
      let isForgotten = suspended.pieces.isEmpty && suspended.resting == 0 && suspended.idle == 0
      tasks[task] = isForgotten ? nil : suspended
      return result
    }
  }

  static func add(_ piece: Piece, to task: TaskID) { update(task) { $0.pieces.append(piece) } }

  static func remove(_ piece: Piece, from task: TaskID) {
    update(task) { suspended in
      suspended.pieces.removeAll { $0.number == piece.number && $0.record === piece.record }
    }
  }

  /// Returns the kind of a task's suspension, or nil if the task may be running.
  static func suspension(of task: TaskID) -> TaskSuspension.Kind? {
    withAll { tasks in
      guard let suspended = tasks[task] else { return nil }
      return suspended.idle > 0 ? .idle : suspended.resting > 0 ? .resting : nil
    }
  }
}
