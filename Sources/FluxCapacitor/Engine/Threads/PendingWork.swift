#if canImport(Dispatch)
  import Dispatch
#endif

/// A record of a dispatcher's unfinished work. The engine records when work begins and ends. The folder `Settling`
/// adds how `settled()` waits for the record, and what it knows of tasks.
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
  struct Piece {
    let work: Work
    var task: TaskID?

    /// The suspension with which this piece is counted, or nil if this piece is counted as busy.
    var suspension: Suspension?

    /// Called at the end of the work, under the lock.
    var didEnd: (@Sendable () -> Void)?
  }

  /// Why a task is suspended.
  package enum Suspension {
    /// The task continues after a pause, or it's an effect that waits for an element.
    case resting

    /// The task continues after an effect.
    case joining

    /// The task continues only if an element arrives.
    case idle
  }

  /// A closure that is called when the record has reached a goal.
  struct Waiter {
    let isReached: @Sendable (PendingWork) -> Bool

    /// The task that waits, if known.
    let task: TaskID?

    let body: @Sendable () -> Void
  }

  let lock = Lock()

  // `lock` guards the properties below.
  var pieces: [Int: Piece] = [:]
  private(set) var busy = 0
  private(set) var resting = 0
  private(set) var changes = 0
  var lastNumber = 0
  var waiting: [Int: Waiter] = [:]

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

  /// Changes the record under the lock, and then calls the closures whose goals are reached.
  func update<Result>(_ body: () -> Result) -> Result {
    var reached: [@Sendable () -> Void] = []
    let result = lock.withLock {
      let result = body()
      for (number, waiter) in waiting where waiter.isReached(self) {
        reached.append(waiter.body)
        waiting[number] = nil
      }
      return result
    }
    for body in reached { body() }
    return result
  }

  /// Adds a piece of work to the number of busy or resting pieces, or subtracts the piece. The caller must hold the
  /// lock.
  func count(_ piece: Piece, _ difference: Int) {
    changes += 1
    switch piece.suspension {
    case nil: busy += difference
    case .resting, .joining: resting += difference
    case .idle: break
    }
  }

  /// A piece of work that has begun.
  @usableFromInline package struct Ticket: Sendable {
    let record: PendingWork
    let number: Int

    /// Records the end of the work. The caller has to call this method once.
    @usableFromInline package func end() {
      record.update {
        guard let piece = record.pieces.removeValue(forKey: number) else { return }
        record.count(piece, -1)
        piece.didEnd?()
      }
    }
  }

  package enum Work: Sendable {
    case reduce
    case deferredDispatch(of: any Any.Type)
    case delivery(of: any Any.Type)
    case queuedCall(of: any Any.Type, on: DispatchQueue)
    case effect(fileID: StaticString, line: UInt)
    case task(fileID: StaticString, line: UInt)
  }
}

extension PendingWork {
  /// The pending work of the current task's dispatcher.
  @usableFromInline package static var current: PendingWork {
    Surroundings.replacementInTask?.pendingWork ?? ofProcess
  }

  /// The pending work of the process's dispatcher.
  static let ofProcess = PendingWork()
}
