/// The operations of ``Effects``: which is in progress, which waits, which has been superseded.
///
/// Invariants, all guarded by `lock`:
/// - An effect is in `inProgress` or in `waiting` from its start until its end, unless it has been
///   superseded. Its task is created under the lock, so whoever finds it there can cancel it.
/// - While there is room in `inProgress`, nobody waits: whoever ends makes room for the next.
/// - What has not been superseded and invokes is in `invoking`, from before it looks until its reduce has
///   ended; all of that while it has the turn. So who supersedes it, and then waits for the turn, knows
///   that it reduces nothing more.
final class EffectQueue: @unchecked Sendable {
  /// How many effects are in progress or wait. It is never too low while one does.
  let count = Variable(0)

  private let policy: Effects.Policy
  private let limit: Int

  private let lock = Lock()
  @exclusivity(unchecked) private var inProgress: [Effect] = []
  @exclusivity(unchecked) private var waiting = FIFO<Effect>()

  /// The dispatchers on which effects are invoking.
  @exclusivity(unchecked) private var invoking: [Dispatcher] = []

  /// The task that is in progress now, whether it is that of a new effect, and whether the current
  /// task belongs to an operation of this queue.
  typealias Started = (task: Task<Void, Never>, isOwn: Bool, isNested: Bool)

  init(_ policy: Effects.Policy) {
    self.policy = policy
    limit = if case .concurrent(let limit) = policy { limit } else { 1 }
  }

  /// Starts an effect, unless the first one wins.
  ///
  /// - Parameter makeTask: Creates its task, which runs no user code before it is its turn. Called
  ///   under the lock.
  func start(
    _ effect: Effect,
    _ makeTask: (_ turn: AsyncStream<Never>?, _ isCancelled: Bool) -> Task<Void, Never>
  ) -> Started {
    var superseded: [Effect] = []
    var busy: [Dispatcher] = []
    count.value += 1
    let started: Started = lock.withLock {
      let isNested = isNested(effect)
      if policy == .first, let task = inProgress.first?.task { return (task, false, isNested) }
      if policy == .latest {
        swap(&superseded, &inProgress)
        for older in superseded { older.hasBeenSuperseded = true }
        busy = invoking
      }
      var turn: AsyncStream<Never>?
      if isNested || inProgress.count < limit {
        inProgress.append(effect)
      } else {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        (turn, effect.turn) = (stream, continuation)
        waiting.append(effect)
      }
      let task = makeTask(turn, effect.hasBeenCancelled)
      effect.task = task
      return (task, true, isNested)
    }
    let over = started.isOwn ? superseded.count : 1
    if over > 0 { count.value -= over }
    for older in superseded { older.task?.cancel() }
    for dispatcher in busy { dispatcher.waitForTurn() }
    return started
  }

  /// Ends an effect, and lets the next one begin.
  func end(_ effect: Effect) {
    var next: Effect?
    let isSuperseded = lock.withLock {
      if effect.hasBeenSuperseded { return true }
      // What is cancelled as it waits stays there until it would be its turn.
      effect.task = nil
      inProgress.removeAll { $0 === effect }
      while inProgress.count < limit, let candidate = waiting.popFirst() {
        guard candidate.task != nil else { continue }
        inProgress.append(candidate)
        next = candidate
      }
      return false
    }
    next?.turn?.finish()
    if !isSuperseded { count.value -= 1 }
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
    let tasks = lock.withLock {
      var tasks = inProgress.map(\.task)
      for index in 0..<waiting.count { tasks.append(waiting[index].task) }
      return tasks
    }
    for task in tasks { task?.cancel() }
  }

  func hasSuperseded(_ effect: Effect) -> Bool { lock.withLock { effect.hasBeenSuperseded } }

  /// Calls a closure that invokes, unless the effect has been superseded. This thread must have the turn.
  ///
  /// - Returns: Whether it was called.
  func whileInvoking(_ effect: Effect, on dispatcher: Dispatcher, _ body: () -> Void) -> Bool {
    lock.lock()
    guard !effect.hasBeenSuperseded else {
      lock.unlock()
      return false
    }
    invoking.append(dispatcher)
    lock.unlock()
    body()
    lock.withLock {
      let index = invoking.firstIndex { $0 === dispatcher }
      if let index { invoking.remove(at: index) }
    }
    return true
  }

  /// Whether the effect is run inside the operation of one that is in progress. The lock must be held.
  private func isNested(_ effect: Effect) -> Bool {
    var ancestor = effect.parent
    while let effect = ancestor {
      if inProgress.contains(where: { $0 === effect }) { return true }
      ancestor = effect.parent
    }
    return false
  }
}

extension Dispatcher {
  /// Waits until the reduce or transaction that another thread is in has ended, except where that may be
  /// waiting for this thread.
  func waitForTurn() {
    let thread = CurrentThread.current
    guard !registry.turn.isHeld(by: thread.id), thread.pointee.openMutations == 0,
      thread.pointee.openCreations == 0
    else { return }
    registry.turn.withLock {}
  }
}
