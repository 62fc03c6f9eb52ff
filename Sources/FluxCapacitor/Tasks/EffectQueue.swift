/// The effects of an ``Effects`` object that are in progress, waiting, or superseded.
///
/// Invariants, all guarded by `lock`:
/// - An effect is in `inProgress` or in `waiting` from its start until its end, unless it has been
///   superseded. Its task is created under the lock, so a thread that finds the effect there can cancel the
///   task.
/// - While `inProgress` has room, no effect waits: an effect that ends lets the next one begin.
/// - While an effect invokes a state, its dispatcher is in `invoking`, from the check for superseding until
///   the end of the reduce. Meanwhile, the thread holds that dispatcher's turn. So after a thread has
///   superseded the effect and waited for these turns, the effect reduces nothing more.
final class EffectQueue: @unchecked Sendable {
  /// The number of effects that are in progress or wait.
  ///
  /// The number is raised before the effect starts, so that a running operation never reads zero. The
  /// change is delivered after the start, so that an observer finds the effect.
  let count = Variable(0)

  private let policy: Effects.Policy
  private let limit: Int

  private let lock = Lock()
  @exclusivity(unchecked) private var inProgress: [Effect] = []
  @exclusivity(unchecked) private var waiting = FIFO<Effect>()

  /// The number of waiting effects that were cancelled and have ended.
  @exclusivity(unchecked) private var endedInWaiting = 0

  /// The number of started effects that superseded all effects before them.
  @exclusivity(unchecked) private var newest = 0

  /// The superseded effects that await the effect that superseded them.
  @exclusivity(unchecked) private var spared: [Effect] = []

  /// The dispatchers on which effects are invoking.
  @exclusivity(unchecked) private var invoking: [Dispatcher] = []

  /// The task in progress, whether it belongs to the new effect, and whether the current task belongs to an
  /// operation of this queue.
  typealias Started = (task: Task<Void, Never>, isNew: Bool, isNested: Bool)

  init(_ policy: Effects.Policy) {
    self.policy = policy
    limit = if case .concurrent(let limit) = policy { limit } else { 1 }
  }

  /// Starts an effect, unless the policy is `.first` and an earlier effect is in progress.
  ///
  /// - Parameters:
  ///   - isAwaited: Whether the current task awaits the effect. If so, the effects inside which it is run
  ///     are superseded but not cancelled, because that would cancel the effect that they await.
  ///   - makeTask: Creates the effect's task, under the lock. The task runs no user code before its turn.
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
      // Cancelled effects don't count here: the new effect waits until they end.
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
        // This makes a copy, because the thread sanitizer can't see how a shared array is handed over.
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
    // The tasks of superseded effects don't change anymore, so no lock is needed.
    for older in over { older.task?.cancel() }
    for dispatcher in busy { dispatcher.waitForTurn() }
    thread.finish()
    return started
  }

  /// Ends an effect, and lets the next one begin.
  func end(_ effect: Effect) {
    // At most one effect can begin, because only this effect has made room.
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

  /// Cancels an effect, even if it hasn't been started yet.
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

  /// Calls a closure that invokes a state, unless the effect has been superseded. The dispatcher's turn
  /// must be held.
  ///
  /// - Returns: Whether the closure was called.
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

// The lock must be held for these operations.
extension EffectQueue {
  private func begin(_ effect: Effect) {
    effect.isInProgress = true
    inProgress.append(effect)
  }

  /// The tasks of the effects in progress, followed by the tasks of the waiting effects.
  private var tasks: [Task<Void, Never>] {
    (inProgress.map(\.task) + (0..<waiting.count).map { waiting[$0].task }).compactMap(\.self)
  }

  /// Counts a waiting effect that has ended, and removes all such effects when they are more than half of
  /// `waiting`.
  ///
  /// - Complexity: O(1), amortized.
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

  /// Returns whether the effect is run inside an operation that is in progress.
  private func isNested(_ effect: Effect) -> Bool {
    effect.surroundings.contains { surrounding in
      surrounding.effect.map { $0.queue === self && $0.isInProgress } ?? false
    }
  }
}
