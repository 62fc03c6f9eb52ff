/// The effects of an ``Effects`` object that are in progress, waiting, or superseded.
///
/// The queue keeps three invariants under `lock`:
/// - From its start until its end, an effect is in `running` or in `waiting`, unless a newer effect has
///   replaced or cancelled it. A thread creates an effect's task under the lock, so a thread that finds an
///   effect in a list can cancel its task.
/// - If the number of effects in `running` is below the limit, no effect waits. An effect that ends lets the
///   next waiting effect begin.
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

  /// The effects in progress. Under the policy `.latest`, the list also contains the superseded effects that
  /// are not cancelled, because their operations await a newer effect.
  @exclusivity(unchecked) private var running: [Effect] = []

  /// The waiting effects by their numbers.
  @exclusivity(unchecked) private var waiting: [Int: Effect] = [:]

  /// The number of the newest effect.
  @exclusivity(unchecked) private var newest = 0

  /// The number before the smallest number in `waiting`, or a smaller number.
  @exclusivity(unchecked) private var lastToBegin = 0

  /// The dispatchers that are reducing states of effects, with one entry for each reduce.
  @exclusivity(unchecked) private var invoking: [Dispatcher] = []

  /// The effect in progress, its task, whether the effect is the new effect, and whether the new effect is
  /// nested.
  typealias Started = (effect: Effect, task: Task<Void, Never>, isNew: Bool, isNested: Bool)

  init(_ policy: Effects.Policy) {
    self.policy = policy
    limit =
      switch policy {
      case .latest: .max
      case .concurrent(let limit): limit
      case .first, .serial, .newestWaiting: 1
      }
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
    var over: [Task<Void, Never>] = []
    var busy: [Dispatcher] = []
    count.value += 1
    let result: Started = lock.withLock {
      let isNested = running.contains(where: effect.isInside)
      // A cancelled effect doesn't prevent a new effect. The new effect waits until the cancelled effect
      // ends.
      if policy == .first, let (earlier, task) = started.first(where: { !$0.task.isCancelled }) {
        noLongerCounted = 1
        return (earlier, task, false, isNested)
      }
      if policy == .latest {
        noLongerCounted = running.count { !hasBeenSuperseded($0) }
        let isSpared = { isAwaited && effect.isInside($0) }
        over = running.filter { !isSpared($0) }.compactMap(\.task)
        running = running.filter(isSpared)
        // The copy avoids a false report by the thread sanitizer, which can't see how threads share an
        // array.
        busy = invoking.map(\.self)
      }
      newest += 1
      effect.number = newest
      var turn: AsyncStream<Never>?
      if isNested || running.count < limit {
        running.append(effect)
      } else {
        if policy == .newestWaiting {
          for older in waiting.values { older.isReplaced = true }
          noLongerCounted = waiting.count
          over = waiting.values.compactMap(\.task)
          waiting = [:]
        }
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        (turn, effect.turn) = (stream, continuation)
        waiting[newest] = effect
      }
      let task = makeTask(turn)
      effect.task = task
      return (effect, task, true, isNested)
    }
    if noLongerCounted > 0 { count.value -= noLongerCounted }
    thread.endTransaction()
    for task in over { task.cancel() }
    for dispatcher in busy { dispatcher.waitForTurn() }
    thread.finish()
    return result
  }

  /// Waits until a waiting effect may begin, or its task is cancelled. Meanwhile, the task rests.
  func wait(for turn: AsyncStream<Never>, of effect: Effect) async {
    let suspension = TaskSuspension(.resting)
    let isWaiting = lock.withLock {
      let isWaiting = waiting[effect.number] === effect
      if isWaiting { effect.rest = suspension }
      return isWaiting
    }
    if isWaiting { suspension.begin() }
    await withTaskCancellationHandler {
      for await _ in turn {}
    } onCancel: {
      whileCancelling { lock.withLock { effect.rest.take() }?.end() }
    }
  }

  /// Notes that the current task rests until the end of an effect.
  func restUntilEnd(of effect: Effect) {
    let suspension = TaskSuspension(.resting)
    let isStarted = lock.withLock {
      if effect.task != nil { effect.callers.append(suspension) }
      return effect.task != nil
    }
    if isStarted { suspension.begin() }
  }

  /// Ends an effect, and lets the next waiting effect begin.
  func end(_ effect: Effect) {
    // At most one effect begins, because only one effect has ended.
    var next: Effect?
    let (resting, isCounted) = lock.withLock {
      effect.task = nil
      var resting = effect.callers
      effect.callers = []
      running.removeAll { $0 === effect }
      waiting[effect.number] = nil
      while running.count < limit, !waiting.isEmpty {
        lastToBegin += 1
        guard let candidate = waiting.removeValue(forKey: lastToBegin) else { continue }
        running.append(candidate)
        next = candidate
        if let rest = candidate.rest.take() { resting.append(rest) }
      }
      return (resting, !hasBeenSuperseded(effect))
    }
    // Other tasks are busy before this effect stops being pending, so `settled()` sees no gap.
    for suspension in resting { suspension.end() }
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
    for (_, task) in lock.withLock({ started }) { task.cancel() }
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

  // The caller of the two members below must hold the queue's lock.

  private func hasBeenSuperseded(_ effect: Effect) -> Bool {
    effect.isReplaced || policy == .latest && effect.number != newest
  }

  /// The effects in `running` and `waiting`, with their tasks.
  private var started: [(effect: Effect, task: Task<Void, Never>)] {
    (running + waiting.values).compactMap { effect in effect.task.map { (effect, $0) } }
  }
}
