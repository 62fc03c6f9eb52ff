extension PendingWork {
  /// A state of the pending work for which a caller can wait.
  package enum Goal {
    /// No work is pending.
    case ended

    /// All pending work is resting.
    case resting

    /// The record has changed since `changeCount` had the given value.
    case changed(since: Int)
  }

  /// Calls a closure when the work has reached a goal. The call happens immediately, or on the thread that
  /// completes the goal.
  ///
  /// - Returns: A number with which the caller can forget the closure.
  @discardableResult
  package func when(_ goal: Goal, _ body: @escaping @Sendable () -> Void) -> Int {
    trapIfSelfWaiting(TaskID())
    return add(Waiter(isReached: { $0.hasReached(goal) }, task: TaskID(), body: body))
  }

  private func add(_ waiter: Waiter) -> Int {
    update {
      lastNumber += 1
      waiting[lastNumber] = waiter
      return lastNumber
    }
  }

  /// Whether the work has reached a goal. The caller must hold the lock.
  private func hasReached(_ goal: Goal) -> Bool {
    switch goal {
    case .ended: busy == 0 && resting == 0
    case .resting: busy == 0
    case .changed(let count): changes != count
    }
  }

  /// Calls a closure when no observer is still to be called.
  func whenCallsEnd(_ body: @escaping @Sendable () -> Void) {
    _ = add(Waiter(isReached: { !$0.hasPiecesOfCalls }, task: nil, body: body))
  }

  /// Whether an observer is still to be called.
  var hasCalls: Bool { lock.withLock { hasPiecesOfCalls } }

  /// The caller must hold the lock.
  private var hasPiecesOfCalls: Bool {
    pieces.values.contains {
      switch $0.work {
      case .delivery, .queuedCall: true
      case .reduce, .deferredDispatch, .effect, .task: false
      }
    }
  }

  /// Forgets a closure that waits for a goal.
  package func forget(_ number: Int) {
    // Without a use of the closure, optimized code could release it under the lock.
    withExtendedLifetime(lock.withLock { waiting.removeValue(forKey: number) }) {}
  }

  /// The number of changes of this record so far.
  package var changeCount: Int { lock.withLock { changes } }

  /// Whether all pending work is resting, and some work is pending.
  package var isResting: Bool { lock.withLock { busy == 0 && resting > 0 } }

  /// Whether no work is pending.
  package var hasEnded: Bool { lock.withLock { hasReached(.ended) } }

  /// Sentences about the pieces of pending work, in the order in which the work began.
  package var descriptions: [String] {
    let pending = lock.withLock { pieces.filter { $0.value.suspension != .idle } }
    return pending.sorted { $0.key < $1.key }.map { $0.value.work.description }
  }

  /// Sentences about the pending work if it consists of effects that wait for each other.
  package var deadlock: [String] {
    let isDeadlock = lock.withLock { pieces.values.allSatisfy { $0.suspension == .joining } }
    return isDeadlock ? descriptions : []
  }

  /// Traps, in a debug build, if a task waits for its own work.
  ///
  /// - Parameter isWaiting: Whether the task is about to wait.
  package func trapIfSelfWaiting(_ task: TaskID?, isWaiting: Bool = true) {
    #if DEBUG
      guard let task else { return }
      let own = lock.withLock {
        let isWaiting = isWaiting || waiting.values.contains { $0.task == task }
        return isWaiting ? pieces.values.first { $0.task == task } : nil
      }
      guard let own else { return }
      trap(
        "settled() waits for the task that calls it: \(own.work)",
        "Call settled() in another task."
      )
    #endif
  }
}

extension PendingWork.Ticket {
  /// Records the task that does the work. The work must not have ended.
  func belong(to task: TaskID) {
    record.update {
      record.pieces[number]?.task = task
      record.pieces[number]?.didEnd = {
        SuspendedTask.update(task) { suspended in
          suspended.pieces.removeAll { $0.number == number && $0.record === record }
        }
      }
      SuspendedTask.update(task) { $0.pieces.append(self) }
      record.recount(number)
    }
    record.trapIfSelfWaiting(task, isWaiting: false)
  }

  /// Counts the work with the present suspension of its task. Calls of this method can overlap.
  func noteSuspension() { record.update { record.recount(number) } }
}

extension PendingWork {
  /// Counts a piece of work with the present suspension of its task. The caller must hold the lock.
  fileprivate func recount(_ number: Int) {
    // The work might have ended already.
    guard var piece = pieces[number], let task = piece.task else { return }
    count(piece, -1)
    piece.suspension = SuspendedTask.update(task) { $0.suspension }
    // Somebody waits for an effect, even if the effect waits for an element.
    if piece.suspension == .idle, case .effect = piece.work { piece.suspension = .resting }
    count(piece, 1)
    pieces[number] = piece
  }
}

extension PendingWork.Work: CustomStringConvertible {
  package var description: String {
    switch self {
    case .reduce: "A state is being reduced, or a transaction is running."
    case .deferredDispatch(let type):
      "A \(sourceName(of: type)) was invoked inside a reduce, modify, read or init, and is queued."
    case .delivery(let type): "The observers of a \(sourceName(of: type)) are being called."
    case .queuedCall(let type, let queue):
      "A \(type) is on its way to an observer on the queue \"\(queue.label)\"."
    case .effect(let fileID, let line): "The effect of \(fileID):\(line) is running."
    case .task(let fileID, let line): "The task of \(fileID):\(line) is running."
    }
  }
}
