/// The effects of an ``Effects`` object that are in progress, waiting, or superseded.
///
/// The queue keeps three invariants under `lock`:
/// - From its start until its end, an effect is in `running` or in `waiting`, unless it is superseded. A thread creates an
///   effect's task under the lock, so a thread that finds an effect in a list can cancel its task.
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
  let count: Variable<Int>

  private let policy: Effects.Policy
  private let lock = Lock()

  /// The effects in progress by their numbers. Under the policy `.latest`, among them are the superseded effects that
  /// are not cancelled, because their operations await a newer effect.
  private var running: [Int: Effect] = [:]

  /// The waiting effects by their numbers.
  private var waiting: [Int: Effect] = [:]

  /// The number of the newest effect, and of the newest one that is superseded with all older ones.
  private var newest = 0
  private var newestSuperseded = 0

  /// The number before the smallest number in `waiting`, or a smaller number.
  private var lastToBegin = 0

  /// Called with the count when the queue is deallocated.
  private let didEnd: @Sendable (Variable<Int>) -> Void

  /// What the policy `.atMost` counts, or nil under another policy.
  private var rate: EffectRate?

  /// The dispatchers that are reducing states of effects, with one entry for each reduce.
  private var invoking: [Dispatcher] = []

  /// The task of the effect in progress, whether `end(_:)` will return `true` for the new effect, and the suspension
  /// that the current task has to begin before it awaits the effect, or nil if the task must not await the effect.
  typealias Started = (task: Task<Void, Never>, isToEnd: Bool, suspension: TaskSuspension?)

  init(
    _ policy: Effects.Policy,
    count: Variable<Int> = Variable(0),
    didEnd: @escaping @Sendable (Variable<Int>) -> Void = { _ in }
  ) {
    self.policy = policy
    self.count = count
    self.didEnd = didEnd
    rate = EffectRate(policy)
  }

  deinit { didEnd(count) }

  /// Returns the time of a clock since the first call, or nil if the policy doesn't need it.
  func time<C: Clock>(of clock: C) -> Duration? where C.Duration == Duration {
    guard case .atMost = policy else { return nil }
    let now = clock.now
    let first = lock.withLock { rate?.origin(orNow: now) ?? now }
    guard let origin = first as? C.Instant else {
      trap(
        "Effects(.atMost) can't compare the time of a \(C.self) with a \(type(of: first)).",
        "Pass clocks of the same type to all operations of an Effects."
      )
    }
    // The clock is user code, which runs without a lock.
    return origin.duration(to: now)
  }

  /// Starts an effect, unless the policy is `.first` and an earlier effect is in progress, or the policy is `.atMost`
  /// and refuses an effect that would begin now.
  ///
  /// - Parameters:
  ///   - isAwaited: Whether the current task awaits the effect. If so, the outer effects are superseded but
  ///     not cancelled. Cancelling an outer effect would also cancel the awaited effect.
  ///   - time: The time, if the policy is `.atMost` and the effect begins without a pause.
  ///   - makeTask: A closure that creates the effect's task under the lock. The task runs no user code until
  ///     the effect's `turn` has ended.
  func start(
    _ effect: Effect,
    isAwaited: Bool,
    at time: Duration?,
    _ makeTask: () -> Task<Void, Never>
  ) -> Started {
    let thread = currentThread()
    thread.pointee.openTransactions += 1
    count.value += 1
    var (leaving, result) = lock.withLock { () -> (Superseded, Started) in
      var leaving = Superseded()
      switch admit(effect, isAwaited: isAwaited, at: time, &leaving) {
      case .refuse:
        leaving.tasks.append(Task<Void, Never> {})
        return (leaving, (leaving.tasks[0], false, nil))
      case .join(let earlier, let task, let mayAwait):
        return (leaving, (task, false, isAwaited && mayAwait ? earlier.addCaller() : nil))
      case .begin: running[newest] = effect
      case .wait:
        effect.turn = AsyncBuffer(.unbounded)
        waiting[newest] = effect
      }
      let task = makeTask()
      effect.task = task
      return (leaving, (task, true, isAwaited ? effect.addCaller() : nil))
    }
    if leaving.count > 0 { count.value -= leaving.count }
    thread.endTransaction()
    let phase = effect.phase.write { $0.exchange(1, ordering: .acquiringAndReleasing) }
    leaving.finish()
    if phase == 2 {
      result.isToEnd = false
      count.value -= 1
    }
    thread.deliverPlacesAndDispatch()
    return result
  }

  /// What the policy does with a new effect.
  private enum Admission {
    /// The policy `.atMost` refuses it.
    case refuse

    /// An earlier effect takes its place. The caller may await this effect, unless it would wait for itself.
    case join(Effect, Task<Void, Never>, mayAwait: Bool)

    case begin, wait
  }

  /// Decides what happens with a new effect. The caller must hold the lock.
  ///
  /// - Parameter leaving: Receives the effects that no longer count, among them the new one if it doesn't start.
  private func admit(
    _ effect: Effect,
    isAwaited: Bool,
    at time: Duration?,
    _ leaving: inout Superseded
  ) -> Admission {
    let isNested = effect.surroundings.contains { outer in
      outer.effect.map { running[$0.number] === $0 } ?? false
    }
    // A cancelled effect doesn't prevent a new effect. The new effect waits until the cancelled effect ends.
    if policy == .first, let (earlier, task) = started.first(where: { !$0.task.isCancelled }) {
      leaving.count = 1
      return .join(earlier, task, mayAwait: !isNested)
    }
    if let time, rate?.admit(effect, at: time) == false {
      leaving.count = 1
      return .refuse
    }
    if policy == .latest { leaving = supersedeStarted { isAwaited && effect.isInside($0) } }
    newest += 1
    effect.number = newest
    if isNested || running.count < policy.limit { return .begin }
    if policy == .newestWaiting {
      for older in waiting.values { older.isReplaced = true }
      leaving.count = waiting.count
      leaving.tasks = waiting.values.compactMap(\.task)
      waiting = [:]
    }
    return .wait
  }

  /// The effects that a thread has superseded or replaced under the lock.
  private struct Superseded {
    var count = 0
    var tasks: [Task<Void, Never>] = []
    var invoking: [Dispatcher] = []

    /// Cancels the tasks, and waits for reduces of the effects' states. The caller must not hold the lock.
    func finish() {
      for task in tasks { task.cancel() }
      for dispatcher in invoking { dispatcher.waitForTurn() }
    }
  }

  /// Supersedes all effects, including those that have ended. The started ones are no longer in progress, except for the
  /// spared ones. The caller must hold the lock, and then call `finish()`.
  private func supersedeStarted(sparing isSpared: (Effect) -> Bool) -> Superseded {
    var superseded = Superseded()
    // The copy avoids a false report by the thread sanitizer, which can't see how threads share an array.
    superseded.invoking = invoking.map(\.self)
    for (effect, task) in started {
      if !hasBeenSuperseded(effect) { superseded.count += 1 }
      if isSpared(effect) { continue }
      superseded.tasks.append(task)
      running[effect.number] = nil
      rate?.forget(effect)
    }
    waiting = [:]
    newestSuperseded = newest
    return superseded
  }

  /// Supersedes all effects, and cancels the started ones.
  func supersede() {
    let thread = currentThread()
    let superseded = lock.withLock { supersedeStarted { _ in false } }
    thread.pointee.openTransactions += 1
    if superseded.count > 0 { count.value -= superseded.count }
    thread.endTransaction()
    superseded.finish()
    thread.deliverPlacesAndDispatch()
  }

  /// Notes that an operation begins, unless its effect is superseded or the policy `.atMost` refuses it now.
  ///
  /// - Parameter time: The time, if the policy is `.atMost`.
  /// - Returns: Whether the operation may begin.
  func begin(_ effect: Effect, at time: Duration?) -> Bool {
    lock.withLock {
      if hasBeenSuperseded(effect) { return false }
      return time.flatMap { rate?.begin(effect, at: $0) } ?? true
    }
  }

  /// Whether a beginning still counts for the policy `.atMost`.
  func isLimited(since beginning: Duration, at time: Duration?) -> Bool {
    lock.withLock { time.flatMap { rate?.counts(beginning, at: $0) } ?? false }
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
      running[effect.number] = nil
      waiting[effect.number] = nil
      rate?.forget(effect)
      while running.count < policy.limit, !waiting.isEmpty {
        lastToBegin += 1
        guard let candidate = waiting.removeValue(forKey: lastToBegin) else { continue }
        running[lastToBegin] = candidate
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

  /// Cancels all effects, or those of one owner, that have started and have not ended.
  func cancel(of owner: ObjectIdentifier? = nil) {
    for (effect, task) in lock.withLock({ started }) where owner == nil || owner == effect.owner {
      task.cancel()
    }
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

  // The caller of the two members below must hold the queue's lock.

  private func hasBeenSuperseded(_ effect: Effect) -> Bool {
    effect.isReplaced || effect.number <= newestSuperseded
  }

  /// The effects in `running` and `waiting`, with their tasks.
  private var started: [(effect: Effect, task: Task<Void, Never>)] {
    [running, waiting].joined().compactMap { _, effect in effect.task.map { (effect, $0) } }
  }
}
