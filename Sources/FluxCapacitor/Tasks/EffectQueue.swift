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
@usableFromInline final class EffectQueue: @unchecked Sendable {
  /// The number of effects that are in progress or wait.
  ///
  /// A starting effect increments the count first, so that a running operation never reads zero. The
  /// observers of `count` are called after the start, so that an observer can cancel the new effect.
  let count = Variable(0)

  private let policy: Effects.Policy
  private let lock = Lock()

  /// The effects in progress. Under the policy `.latest`, the list also contains the superseded effects that
  /// are not cancelled, because their operations await a newer effect.
  private var running: [Effect] = []

  /// The waiting effects by their numbers.
  private var waiting: [Int: Effect] = [:]

  /// The number of the newest effect.
  private var newest = 0

  /// The number before the smallest number in `waiting`, or a smaller number.
  private var lastToBegin = 0

  /// The times of the starts within the duration of the policy `.atMost`.
  private var starts: [Duration] = []

  /// The instant of the first start under the policy `.atMost`, from which the times are measured.
  private var origin: (any Sendable)?

  /// The dispatchers that are reducing states of effects, with one entry for each reduce.
  private var invoking: [Dispatcher] = []

  /// The task of the effect in progress, whether `end(_:)` will return `true` for the new effect, and the suspension
  /// that the current task has to begin before it awaits the effect, or nil if the task must not await the effect.
  typealias Started = (task: Task<Void, Never>, isToEnd: Bool, suspension: TaskSuspension?)

  init(_ policy: Effects.Policy) { self.policy = policy }

  /// Returns the time of a clock since the first call, or nil if the policy doesn't need it.
  func time<C: Clock>(of clock: C) -> Duration? where C.Duration == Duration {
    guard case .atMost = policy else { return nil }
    let now = clock.now
    let first: any Sendable = lock.withLock {
      if let origin { return origin }
      origin = now
      return now
    }
    guard let origin = first as? C.Instant else {
      trap(
        "Effects(.atMost) can't compare the time of a \(C.self) with a \(type(of: first)).",
        "Pass clocks of the same type to all operations of an Effects."
      )
    }
    return origin.duration(to: now)
  }

  /// Starts an effect, unless the policy is `.first` and an earlier effect is in progress, or the policy is `.atMost`
  /// and refuses the effect.
  ///
  /// - Parameters:
  ///   - isAwaited: Whether the current task awaits the effect. If so, the outer effects are superseded but
  ///     not cancelled. Cancelling an outer effect would also cancel the awaited effect.
  ///   - time: The time of the start, which the policy `.atMost` needs.
  ///   - makeTask: A closure that creates the effect's task under the lock. The task runs no user code until
  ///     the effect's `turn` has ended.
  func start(
    _ effect: Effect,
    isAwaited: Bool,
    at time: Duration?,
    _ makeTask: () -> Task<Void, Never>
  ) -> Started {
    let thread = CurrentThread.current
    thread.beginTransaction()
    var noLongerCounted = 0
    var over: [Task<Void, Never>] = []
    var busy: [Dispatcher] = []
    count.value += 1
    func suspension(of awaited: Effect) -> TaskSuspension? {
      guard isAwaited else { return nil }
      let suspension = TaskSuspension(.resting)
      awaited.callers.append(suspension)
      return suspension
    }
    var result: Started = lock.withLock {
      let isNested = running.contains(where: effect.isInside)
      // A cancelled effect doesn't prevent a new effect. The new effect waits until the cancelled effect
      // ends.
      if policy == .first, let (earlier, task) = started.first(where: { !$0.task.isCancelled }) {
        noLongerCounted = 1
        // An operation that awaited the operation in progress from inside would wait for itself.
        return (task, false, isNested ? nil : suspension(of: earlier))
      }
      if case .atMost(let limit, let duration) = policy, let time {
        starts.removeAll { $0 + duration <= time }
        if starts.count >= limit {
          noLongerCounted = 1
          let refused = Task<Void, Never> {}
          over = [refused]
          return (refused, false, nil)
        }
        starts.append(time)
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
      if isNested || running.count < limit {
        running.append(effect)
      } else {
        if policy == .newestWaiting {
          for older in waiting.values { older.isReplaced = true }
          noLongerCounted = waiting.count
          over = waiting.values.compactMap(\.task)
          waiting = [:]
        }
        effect.turn = AsyncBuffer(.unbounded)
        waiting[newest] = effect
      }
      let task = makeTask()
      effect.task = task
      return (task, true, suspension(of: effect))
    }
    if noLongerCounted > 0 { count.value -= noLongerCounted }
    thread.endTransaction()
    let phase = effect.phase.write { $0.exchange(1, ordering: .acquiringAndReleasing) }
    for task in over { task.cancel() }
    for dispatcher in busy { dispatcher.waitForTurn() }
    if phase == 2 {
      result.isToEnd = false
      count.value -= 1
    }
    thread.deliverPlacesAndDispatch()
    return result
  }

  /// Ends an effect, and lets the next waiting effect begin.
  ///
  /// - Returns: Whether the effect no longer counts. If not, `start` is about to subtract it. Subtracted within the
  ///   transaction of `start`, the effect would never reach the observers of the count.
  func end(_ effect: Effect) -> Bool {
    // At most one effect begins, because only one effect has ended.
    var next: Effect?
    let (callers, isCounted) = lock.withLock {
      effect.task = nil
      running.removeAll { $0 === effect }
      waiting[effect.number] = nil
      while running.count < limit, !waiting.isEmpty {
        lastToBegin += 1
        guard let candidate = waiting.removeValue(forKey: lastToBegin) else { continue }
        running.append(candidate)
        next = candidate
      }
      return (effect.callers, !hasBeenSuperseded(effect))
    }
    // Other tasks are busy before this effect stops being pending, so `settled()` sees no gap.
    for caller in callers { caller.end() }
    next?.turn?.finish()
    guard isCounted else { return true }
    let phase = effect.phase.write { $0.exchange(2, ordering: .acquiringAndReleasing) }
    if phase == 0 { return false }
    count.value -= 1
    return true
  }

  /// Cancels an effect that has started and has not ended.
  func cancel(_ effect: Effect) { lock.withLock { effect.task }?.cancel() }

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
  @usableFromInline
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

  /// The number of effects that can be in progress, apart from nested effects.
  private var limit: Int {
    switch policy {
    case .latest, .atMost: .max
    case .concurrent(let limit): limit
    case .first, .serial, .newestWaiting: 1
    }
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
