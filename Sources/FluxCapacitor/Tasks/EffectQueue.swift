/// The effects of an ``Effects`` object that are in progress, waiting, or superseded.
///
/// The queue keeps three invariants under `lock`:
/// - From its start until its end, an effect is in `inProgress` or in `waiting`, unless a newer effect has
///   superseded it. A thread creates an effect's task under the lock, so a thread that finds an effect in a
///   list can cancel its task.
/// - If the number of effects in `inProgress` is below the limit, no effect waits. An effect that ends lets
///   the next waiting effect begin.
/// - From the check of an effect until the end of the reduce, `invoking` lists the dispatcher, and the
///   thread holds the dispatcher's turn. A thread that supersedes the effect waits for the turns of all
///   listed dispatchers. After the wait for these turns, no store reduces a state of the superseded effect.
final class EffectQueue: @unchecked Sendable {
  /// The number of effects that are in progress or wait.
  ///
  /// A starting effect increments the count first, so that a running operation never reads zero. The
  /// observers of `count` are called after the start, so that an observer can cancel the new effect.
  let count = Variable(0)

  private let policy: Effects.Policy
  private let limit: Int

  private let lock = Lock()
  @exclusivity(unchecked) private var inProgress: [Effect] = []
  @exclusivity(unchecked) private var waiting = FIFO<Effect>()

  /// The number of entries in `waiting` whose effects were cancelled and have ended.
  @exclusivity(unchecked) private var endedInWaiting = 0

  /// The number of the newest effect under the policy `.latest`, or zero under the other policies.
  @exclusivity(unchecked) private var newest = 0

  /// The superseded effects that are not cancelled, because their operations await a newer effect.
  @exclusivity(unchecked) private var spared: [Effect] = []

  /// The dispatchers that are reducing states of effects, with one entry for each reduce.
  @exclusivity(unchecked) private var invoking: [Dispatcher] = []

  /// The effect in progress, its task, whether the effect is the new effect, and whether the new effect is
  /// nested.
  typealias Started = (effect: Effect, task: Task<Void, Never>, isNew: Bool, isNested: Bool)

  init(_ policy: Effects.Policy) {
    self.policy = policy
    limit = if case .concurrent(let limit) = policy { limit } else { 1 }
  }

  /// Starts an effect, unless the policy is `.first` and an earlier effect is in progress.
  ///
  /// - Parameters:
  ///   - isAwaited: Whether the current task awaits the effect. If so, the outer effects are superseded but
  ///     not cancelled. Cancelling an outer effect would also cancel the awaited effect.
  ///   - makeTask: A closure that creates the effect's task under the lock. The task runs no user code until
  ///     the stream `turn` has ended.
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
    let result: Started = lock.withLock {
      let isNested = isNested(effect)
      // A cancelled effect doesn't prevent a new effect. The new effect waits until the cancelled effect
      // ends.
      if policy == .first, let (earlier, task) = started.first(where: { !$0.task.isCancelled }) {
        noLongerCounted = 1
        return (earlier, task, false, isNested)
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
        // The copy avoids a false report by the thread sanitizer, which can't see how threads share an
        // array.
        busy = invoking.map(\.self)
      }
      var turn: AsyncStream<Never>?
      if isNested || inProgress.count < limit {
        begin(effect)
      } else {
        if policy == .newestWaiting {
          while let older = waiting.popFirst() {
            if older.task != nil { over.append(older) }
          }
          for older in over { older.isReplaced = true }
          noLongerCounted = over.count
          endedInWaiting = 0
        }
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        (turn, effect.turn) = (stream, continuation)
        waiting.append(effect)
      }
      let task = makeTask(turn)
      effect.task = task
      return (effect, task, true, isNested)
    }
    if noLongerCounted > 0 { count.value -= noLongerCounted }
    thread.endTransaction()
    // This thread reads the tasks of superseded effects without the lock, because they no longer change.
    for older in over { older.task?.cancel() }
    for dispatcher in busy { dispatcher.waitForTurn() }
    thread.finish()
    return result
  }

  /// Ends an effect, and lets the next waiting effect begin.
  func end(_ effect: Effect) {
    // At most one effect begins, because only one effect has ended.
    var next: Effect?
    let isCounted = lock.withLock {
      guard !hasBeenSuperseded(effect) else {
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
    // The next effect is busy before this effect stops being pending, so `settled()` sees no gap.
    next?.piece?.takeTurn()
    next?.turn?.finish()
    if isCounted { count.value -= 1 }
  }

  /// Cancels an effect, even if the effect has not started yet.
  func cancel(_ effect: Effect) {
    let task = lock.withLock {
      effect.hasBeenCancelled = true
      return effect.task
    }
    task?.cancel()
  }

  /// Cancels all effects that have started and have not ended.
  func cancel() {
    let tasks = lock.withLock { spared.compactMap(\.task) + started.map(\.task) }
    for task in tasks { task.cancel() }
  }

  func isSuperseded(_ effect: Effect) -> Bool { lock.withLock { hasBeenSuperseded(effect) } }

  /// Calls a closure that reduces a state, unless a newer effect has superseded the effect.
  ///
  /// The caller must hold the dispatcher's turn.
  ///
  /// - Returns: Whether the method called the closure.
  func unlessSuperseded(_ effect: Effect, on dispatcher: Dispatcher, _ body: () -> Void) -> Bool {
    let isSuperseded = lock.withLock {
      let isSuperseded = hasBeenSuperseded(effect)
      if !isSuperseded { invoking.append(dispatcher) }
      return isSuperseded
    }
    if isSuperseded { return false }
    body()
    lock.withLock {
      let index = invoking.firstIndex { $0 === dispatcher }
      if let index { invoking.remove(at: index) }
    }
    return true
  }
}

// The caller of these members must hold the queue's lock.
extension EffectQueue {
  private func hasBeenSuperseded(_ effect: Effect) -> Bool {
    effect.number != newest || effect.isReplaced
  }

  private func begin(_ effect: Effect) {
    effect.isInProgress = true
    inProgress.append(effect)
  }

  /// The effects in progress, followed by the waiting effects, with their tasks.
  private var started: [(effect: Effect, task: Task<Void, Never>)] {
    (inProgress + (0..<waiting.count).map { waiting[$0] })
      .compactMap { effect in effect.task.map { (effect, $0) } }
  }

  /// Counts an ended effect in `waiting`, and removes ended effects if they fill more than half of `waiting`.
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

  /// Returns whether the effect was started inside an operation of this queue that is in progress.
  private func isNested(_ effect: Effect) -> Bool {
    effect.surroundings.contains { surrounding in
      surrounding.effect.map { $0.queue === self && $0.isInProgress } ?? false
    }
  }
}
