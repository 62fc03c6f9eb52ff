/// The operations of ``Effects``: which is in progress, which waits, which has been superseded.
///
/// Invariants, all guarded by `lock`:
/// - An effect is in `inProgress` or in `waiting` from its start until its end, unless it has been
///   superseded. Its task is created under the lock, so whoever finds it there can cancel it.
/// - While there is room in `inProgress`, nobody waits: whoever ends makes room for the next.
/// - While an effect invokes, its dispatcher is in `invoking`, from the look whether it has been superseded until
///   the reduce has ended; meanwhile, the thread has that dispatcher's turn. So whoever supersedes the effect, and
///   then waits for those turns, knows that it reduces nothing more.
final class EffectQueue: @unchecked Sendable {
  /// How many effects are in progress or wait. It is raised before a start, so that no operation finds that
  /// none does, and delivered behind it, so that an observer finds the effect.
  let count = Variable(0)

  private let policy: Effects.Policy
  private let limit: Int

  private let lock = Lock()
  @exclusivity(unchecked) private var inProgress: [Effect] = []
  @exclusivity(unchecked) private var waiting = FIFO<Effect>()

  /// How many of those that wait have been cancelled, and have ended.
  @exclusivity(unchecked) private var endedInWaiting = 0

  /// How many have been started that supersede all before them.
  @exclusivity(unchecked) private var newest = 0

  /// Those that have been superseded, and await the one that has done it.
  @exclusivity(unchecked) private var spared: [Effect] = []

  /// The dispatchers on which effects are invoking.
  @exclusivity(unchecked) private var invoking: [Dispatcher] = []

  /// The task that is in progress now, whether it is that of the new effect, and whether the current
  /// task belongs to an operation of this queue.
  typealias Started = (task: Task<Void, Never>, isNew: Bool, isNested: Bool)

  init(_ policy: Effects.Policy) {
    self.policy = policy
    limit = if case .concurrent(let limit) = policy { limit } else { 1 }
  }

  /// Starts an effect, unless the first one wins.
  ///
  /// - Parameters:
  ///   - isAwaited: Whether the current task waits for it. Then those that it is run inside are superseded,
  ///     but not cancelled: that would cancel what they wait for.
  ///   - makeTask: Creates its task, which runs no user code before it is its turn. Called under the lock.
  func start(
    _ effect: Effect,
    isAwaited: Bool,
    _ makeTask: (_ turn: AsyncStream<Never>?) -> Task<Void, Never>
  ) -> Started {
    let thread = CurrentThread.current
    thread.beginTransaction()
    var noLongerCounted = 0
    var over: [Effect] = []
    var busy: [Dispatcher] = []
    count.value += 1
    let started: Started = lock.withLock {
      let isNested = isNested(effect)
      // An effect that is run after a cancelled one waits for that to end.
      if policy == .first, let task = tasks.first(where: { !$0.isCancelled }) {
        noLongerCounted = 1
        return (task, false, isNested)
      }
      if policy == .latest {
        newest += 1
        effect.number = newest
        noLongerCounted = inProgress.count
        for older in inProgress { older.isInProgress = false }
        swap(&over, &inProgress)
        over += spared
        spared = isAwaited ? over.filter(effect.isInside) : []
        over.removeAll { older in spared.contains { $0 === older } }
        // A copy of its own: the thread sanitizer can't see how a shared one is handed over.
        busy = invoking.map(\.self)
      }
      var turn: AsyncStream<Never>?
      if isNested || inProgress.count < limit {
        begin(effect)
      } else {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        (turn, effect.turn) = (stream, continuation)
        waiting.append(effect)
      }
      let task = makeTask(turn)
      effect.task = task
      return (task, true, isNested)
    }
    if noLongerCounted > 0 { count.value -= noLongerCounted }
    thread.endTransaction()
    // The task of what has been superseded doesn't change any more.
    for older in over { older.task?.cancel() }
    for dispatcher in busy { dispatcher.waitForTurn() }
    thread.finish()
    return started
  }

  /// Ends an effect, and lets the next one begin.
  func end(_ effect: Effect) {
    // One at most: nobody else has made room.
    var next: Effect?
    let isCounted = lock.withLock {
      guard effect.number == newest else {
        spared.removeAll { $0 === effect }
        return false
      }
      effect.task = nil
      if effect.isInProgress {
        effect.isInProgress = false
        inProgress.removeAll { $0 === effect }
      } else {
        forgetWaiting()
      }
      while inProgress.count < limit, let candidate = waiting.popFirst() {
        guard candidate.task != nil else {
          endedInWaiting -= 1
          continue
        }
        begin(candidate)
        next = candidate
      }
      return true
    }
    next?.turn?.finish()
    if isCounted { count.value -= 1 }
  }

  /// Cancels an effect, also if it is yet to be started.
  func cancel(_ effect: Effect) {
    let task = lock.withLock {
      effect.hasBeenCancelled = true
      return effect.task
    }
    task?.cancel()
  }

  /// Cancels all effects that have been started.
  func cancel() {
    let tasks = lock.withLock { spared.compactMap(\.task) + self.tasks }
    for task in tasks { task.cancel() }
  }

  func isSuperseded(_ effect: Effect) -> Bool { lock.withLock { effect.number != newest } }

  /// Calls a closure, which invokes, unless the effect has been superseded. This thread must have the turn.
  ///
  /// - Returns: Whether it was called.
  func unlessSuperseded(_ effect: Effect, on dispatcher: Dispatcher, _ body: () -> Void) -> Bool {
    let mayInvoke = lock.withLock {
      if effect.number == newest { invoking.append(dispatcher) }
      return effect.number == newest
    }
    guard mayInvoke else { return false }
    body()
    lock.withLock {
      let index = invoking.firstIndex { $0 === dispatcher }
      if let index { invoking.remove(at: index) }
    }
    return true
  }
}

// What is done under the lock, which must be held.
extension EffectQueue {
  private func begin(_ effect: Effect) {
    effect.isInProgress = true
    inProgress.append(effect)
  }

  /// The tasks of those in progress, and then of those that wait.
  private var tasks: [Task<Void, Never>] {
    (inProgress.map(\.task) + (0..<waiting.count).map { waiting[$0].task }).compactMap(\.self)
  }

  /// Forgets what has ended while it waited, once that is half of all: so it is O(1), amortized.
  private func forgetWaiting() {
    endedInWaiting += 1
    guard endedInWaiting * 2 > waiting.count else { return }
    var others = FIFO<Effect>()
    while let effect = waiting.popFirst() {
      if effect.task != nil { others.append(effect) }
    }
    waiting = others
    endedInWaiting = 0
  }

  /// Whether the effect is run inside the operation of one that is in progress.
  private func isNested(_ effect: Effect) -> Bool {
    effect.surroundings.contains { surrounding in
      surrounding.effect.map { $0.queue === self && $0.isInProgress } ?? false
    }
  }
}
