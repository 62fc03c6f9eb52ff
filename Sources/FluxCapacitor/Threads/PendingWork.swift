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
/// | resting | the work continues after other work or after a pause | a task that sleeps on a `ManualClock`; an effect that waits for its turn |
/// | idle | the work continues only if an element arrives | a task that waits in a loop over `values` |
///
/// A task's suspensions are recorded even if the task has no piece of work yet, because a task can suspend
/// before its creator puts it into a bag. Two threads can record the beginning and the end of a suspension in
/// either order, so suspensions are counts.
@usableFromInline package final class PendingWork: @unchecked Sendable {
  /// The condition of a suspended task.
  package enum Suspension { case resting, idle }

  private struct Piece {
    let work: Work
    var task: TaskID?
    var awaitsTurn = false
    var hasTurn = false
  }

  private struct TaskRecord {
    var pieces: [Int] = []
    var resting = 0
    var idle = 0

    /// The tasks that rest until this task's pieces have ended.
    var awaiting: [TaskID] = []

    var isEmpty: Bool { pieces.isEmpty && resting == 0 && idle == 0 && awaiting.isEmpty }

    mutating func add(_ difference: Int, _ suspension: Suspension) {
      switch suspension {
      case .resting: resting += difference
      case .idle: idle += difference
      }
    }
  }

  // `lock` guards all properties of this class.
  private let lock = Lock()
  @exclusivity(unchecked) private var pieces: [Int: Piece] = [:]
  @exclusivity(unchecked) private var tasks: [TaskID: TaskRecord] = [:]
  @exclusivity(unchecked) private var busy = 0
  @exclusivity(unchecked) private var resting = 0
  @exclusivity(unchecked) private var lastNumber = 0
  @exclusivity(unchecked) private var waiting: [(goal: Goal, body: @Sendable () -> Void)] = []

  /// A state of the pending work for which a caller can wait.
  package enum Goal {
    /// No work is pending.
    case ended

    /// All pending work is resting.
    case resting
  }

  /// Records that a piece of work has begun.
  ///
  /// - Parameters:
  ///   - work: The work, for the failure message of a test that waits too long.
  ///   - task: The task that does the work, if known.
  /// - Returns: A ticket, on which the caller has to call `end()` once, when the work has ended.
  package func begin(_ work: Work, by task: TaskID? = nil) -> Ticket {
    let number = change {
      lastNumber += 1
      pieces[lastNumber] = Piece(work: work)
      busy += 1
      if let task { assign(lastNumber, to: task) }
      return lastNumber
    }
    return Ticket(record: self, number: number)
  }

  /// Records that a task rests until another task's pieces of work have ended, if there are any.
  func suspend(_ task: TaskID, untilEndOf other: TaskID) {
    change {
      guard tasks[other]?.pieces.isEmpty == false else { return }
      tasks[other]?.awaiting.append(task)
      update(task) { $0.add(1, .resting) }
    }
  }

  /// Calls a closure when the work has reached a goal. The call happens immediately, or on the thread that
  /// completes the goal.
  package func when(_ goal: Goal, _ body: @escaping @Sendable () -> Void) {
    change { waiting.append((goal, body)) }
  }

  /// Whether all pending work is resting, and some work is pending.
  package var isResting: Bool { lock.withLock { busy == 0 && resting > 0 } }

  /// Whether no work is pending.
  package var hasEnded: Bool { lock.withLock { hasReached(.ended) } }

  /// Sentences about the pieces of pending work, in the order in which the work began.
  package var descriptions: [String] {
    let pending = lock.withLock { pieces.filter { condition(of: $0.value) != .idle } }
    return pending.sorted { $0.key < $1.key }.map { $0.value.work.description }
  }
}

extension PendingWork {
  /// A piece of work that has begun.
  @usableFromInline package struct Ticket: Sendable {
    let record: PendingWork
    fileprivate let number: Int

    /// Records the end of the work. The caller has to call this method once.
    @usableFromInline package func end() { record.change { record.end(number) } }

    /// Records the task that does the work.
    func belong(to task: TaskID) {
      record.change { record.assign(number, to: task) }
    }

    /// Records that the work rests until a call of `takeTurn()`, which may also come first.
    func awaitTurn() { record.change { record.update(number) { $0.awaitsTurn = true } } }

    /// Records that the work no longer waits for its turn. The caller may call this method several times.
    func takeTurn() { record.change { record.update(number) { $0.hasTurn = true } } }
  }
}

extension PendingWork {
  /// A suspension of the current task, in the record of the current task's dispatcher.
  ///
  /// Another thread may end the suspension before this thread begins it, because the record counts
  /// suspensions. Outside a task, the methods do nothing.
  @usableFromInline package struct TaskSuspension: Sendable {
    private let task = TaskID()
    private let record = PendingWork.current
    private let suspension: Suspension

    package init(_ suspension: Suspension) { self.suspension = suspension }

    package func begin() { add(1) }

    /// Ends the suspension. The caller resumes the task afterward.
    package func end() { add(-1) }

    private func add(_ difference: Int) {
      guard let task else { return }
      record.change { record.update(task) { $0.add(difference, suspension) } }
    }
  }
}

extension PendingWork {
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

// The caller of these members must hold the record's lock, except for `change`.
extension PendingWork {
  /// Changes the record under the lock, and then calls the closures whose goals are reached.
  private func change<Result>(_ body: () -> Result) -> Result {
    var reached: [(goal: Goal, body: @Sendable () -> Void)] = []
    let result = lock.withLock {
      let result = body()
      if !waiting.isEmpty, busy == 0 {
        reached = waiting.filter { hasReached($0.goal) }
        waiting.removeAll { hasReached($0.goal) }
      }
      return result
    }
    for waiting in reached { waiting.body() }
    return result
  }

  private func hasReached(_ goal: Goal) -> Bool { busy == 0 && (goal == .resting || resting == 0) }

  /// Returns how a piece of work is suspended, or nil if the work is busy.
  private func condition(of piece: Piece) -> Suspension? {
    let task = piece.task.flatMap { tasks[$0] }
    if let task, task.idle > 0 { return .idle }
    return piece.awaitsTurn && !piece.hasTurn || (task?.resting ?? 0) > 0 ? .resting : nil
  }

  /// Adds a piece of work to the number of busy or resting pieces, or subtracts the piece.
  private func count(_ piece: Piece?, _ difference: Int) {
    guard let piece else { return }
    switch condition(of: piece) {
    case nil: busy += difference
    case .resting: resting += difference
    case .idle: break
    }
  }

  private func update(_ number: Int, _ body: (inout Piece) -> Void) {
    guard var piece = pieces[number] else { return }
    count(piece, -1)
    body(&piece)
    count(piece, 1)
    pieces[number] = piece
  }

  private func update(_ task: TaskID, _ body: (inout TaskRecord) -> Void) {
    var record = tasks[task] ?? TaskRecord()
    for number in record.pieces { count(pieces[number], -1) }
    body(&record)
    tasks[task] = record.isEmpty ? nil : record
    for number in record.pieces { count(pieces[number], 1) }
  }

  private func assign(_ number: Int, to task: TaskID) {
    update(number) { piece in
      piece.task = task
      tasks[task, default: TaskRecord()].pieces.append(number)
    }
  }

  private func end(_ number: Int) {
    let piece = pieces.removeValue(forKey: number)
    count(piece, -1)
    guard let task = piece?.task else { return }
    var awaiting: [TaskID] = []
    update(task) { record in
      record.pieces.removeAll { $0 == number }
      if record.pieces.isEmpty { swap(&awaiting, &record.awaiting) }
    }
    for task in awaiting { update(task) { $0.add(-1, .resting) } }
  }
}

/// An object with a record of pending work. `Dispatcher`, in the folder `Dispatching`, conforms to this
/// protocol.
protocol PendingWorkOwner: AnyObject, Sendable { var pendingWork: PendingWork { get } }

extension PendingWork {
  /// The pending work of the current task's dispatcher.
  ///
  /// Until code replaces the process's dispatcher for the first time, this getter avoids a slow read of a
  /// `TaskLocal`.
  @usableFromInline package static var current: PendingWork {
    guard shortcut.load(ordering: .relaxed) == isReplaced else { return ofProcess }
    return replacement.get()?.pendingWork ?? ofProcess
  }

  /// The pending work of the process's dispatcher.
  static let ofProcess = PendingWork()

  /// The dispatcher that replaces the process's dispatcher in the current task.
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
