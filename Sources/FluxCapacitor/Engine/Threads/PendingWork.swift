#if canImport(Dispatch)
  import Dispatch
#endif
import Synchronization

/// A record of a dispatcher's unfinished work, for `settled()`.
///
/// Work that causes further work begins the further work before ending itself. So when no work is in
/// progress, no further work begins on its own.
///
/// | condition | meaning | examples |
/// |---|---|---|
/// | busy | the work may be running | a delivery, a reduce, any task that the library doesn't know to be suspended |
/// | resting | the work continues after other work or after a pause | a task that sleeps on a `ManualClock`; an effect that waits for its turn or for an element |
/// | idle | the work continues only if an element arrives | a task in a bag that waits in a loop over `values` |
@usableFromInline package final class PendingWork: @unchecked Sendable {
  private struct Piece {
    let work: Work
    var task: TaskID?

    /// The suspension with which this piece is counted, or nil if this piece is counted as busy.
    var suspension: TaskSuspension.Kind?
  }

  // `lock` guards all properties of this class.
  private let lock = Lock()
  private var pieces: [Int: Piece] = [:]
  private var busy = 0
  private var resting = 0
  private var changes = 0
  private var lastNumber = 0
  private var waiting: [Int: Waiter] = [:]

  private struct Waiter {
    let goal: Goal

    /// The task that waits, if known.
    let task: TaskID?

    let body: @Sendable () -> Void
  }

  /// A state of the pending work for which a caller can wait.
  package enum Goal {
    /// No work is pending.
    case ended

    /// All pending work is resting.
    case resting

    /// The record has changed since `changeCount` had the given value.
    case changed(since: Int)
  }

  /// Records that a piece of work has begun.
  ///
  /// - Parameter work: The work, for the failure message of a test that waits too long.
  /// - Returns: A ticket, on which the caller has to call `end()` once, when the work has ended.
  package func begin(_ work: Work) -> Ticket {
    update {
      let piece = Piece(work: work)
      count(piece, 1)
      lastNumber += 1
      pieces[lastNumber] = piece
      return Ticket(record: self, number: lastNumber)
    }
  }

  /// Calls a closure when the work has reached a goal. The call happens immediately, or on the thread that
  /// completes the goal.
  ///
  /// - Returns: A number with which the caller can forget the closure.
  @discardableResult
  package func when(_ goal: Goal, _ body: @escaping @Sendable () -> Void) -> Int {
    trapIfSelfWaiting(TaskID())
    return update {
      lastNumber += 1
      waiting[lastNumber] = Waiter(goal: goal, task: TaskID(), body: body)
      return lastNumber
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

  /// Changes the record under the lock, and then calls the closures whose goals are reached.
  private func update<Result>(_ body: () -> Result) -> Result {
    var reached: [@Sendable () -> Void] = []
    let result = lock.withLock {
      let result = body()
      for (number, waiter) in waiting where hasReached(waiter.goal) {
        reached.append(waiter.body)
        waiting[number] = nil
      }
      return result
    }
    for body in reached { body() }
    return result
  }
}

extension PendingWork {
  /// A piece of work that has begun.
  @usableFromInline package struct Ticket: Sendable {
    let record: PendingWork
    fileprivate let number: Int

    /// Records the end of the work. The caller has to call this method once.
    @usableFromInline package func end() {
      record.update {
        guard let piece = record.pieces.removeValue(forKey: number) else { return }
        record.count(piece, -1)
        guard let task = piece.task else { return }
        SuspendedTask.update(task) { suspended in
          suspended.pieces.removeAll { $0.number == number && $0.record === record }
        }
      }
    }

    /// Records the task that does the work. The work must not have ended.
    func belong(to task: TaskID) {
      record.update {
        record.pieces[number]?.task = task
        SuspendedTask.update(task) { $0.pieces.append(self) }
        record.recount(number)
      }
      record.trapIfSelfWaiting(task, isWaiting: false)
    }

    /// Counts the work with the present suspension of its task. Calls of this method can overlap.
    func noteSuspension() { record.update { record.recount(number) } }
  }

  /// A description of a piece of work.
  package enum Work: Sendable, CustomStringConvertible {
    case reduce
    case deferredDispatch(of: any Any.Type)
    case delivery(of: any Any.Type)
    case queuedCall(of: any Any.Type, on: DispatchQueue)
    case effect(fileID: StaticString, line: UInt)
    case task(fileID: StaticString, line: UInt)

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
}

// The caller of these members must hold the record's lock.
extension PendingWork {
  private func hasReached(_ goal: Goal) -> Bool {
    switch goal {
    case .ended: busy == 0 && resting == 0
    case .resting: busy == 0
    case .changed(let count): changes != count
    }
  }

  /// Adds a piece of work to the number of busy or resting pieces, or subtracts the piece.
  private func count(_ piece: Piece, _ difference: Int) {
    changes += 1
    switch piece.suspension {
    case nil: busy += difference
    case .resting: resting += difference
    case .idle: break
    }
  }

  /// Counts a piece of work with the present suspension of its task.
  private func recount(_ number: Int) {
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

/// An object with a record of pending work. `Dispatcher`, in the folder `Dispatching`, conforms to this
/// protocol.
protocol PendingWorkOwner: AnyObject, Sendable {
  var pendingWork: PendingWork { get }

  init()
}

extension PendingWork {
  /// The pending work of the current task's dispatcher.
  ///
  /// Until code replaces the process's dispatcher for the first time, this getter avoids a slow read of a
  /// `TaskLocal`.
  @usableFromInline package static var current: PendingWork {
    replacementInTask?.pendingWork ?? ofProcess
  }

  /// The pending work of the process's dispatcher.
  static let ofProcess = PendingWork()

  /// The dispatcher that replaces the process's dispatcher in the current task.
  static var replacementInTask: (any PendingWorkOwner)? { isEverReplaced ? replacement.get() : nil }

  /// Whether code has ever replaced the process's dispatcher.
  static var isEverReplaced: Bool { shortcut.load(ordering: .relaxed) == isReplaced }

  static let replacement = TaskLocal<(any PendingWorkOwner)?>(wrappedValue: nil)

  /// The address of the process's dispatcher, until code replaces that dispatcher for the first time.
  ///
  /// The value is zero before the dispatcher is created. After the first replacement, the value is always
  /// `isReplaced`. As long as the value is an address, finding the dispatcher requires no read of a
  /// `TaskLocal`. Reading a `TaskLocal` takes longer than all other steps of finding the dispatcher.
  ///
  /// Threads store the address with release ordering and load the address with acquire ordering. So a
  /// thread that loads the address finds the dispatcher initialized. Relaxed ordering is enough for
  /// `isReplaced`. Only the task that replaces the dispatcher depends on `isReplaced`, and that same task
  /// has stored `isReplaced`.
  static let shortcut = Atomic<UInt>(0)
  static let isReplaced: UInt = 1
}
