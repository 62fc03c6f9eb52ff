import FluxCapacitor

/// A clock that stands still until a test advances it.
///
/// Use this clock to test code that sleeps:
///
/// ```swift
/// let clock = ManualClock()
/// let task = Task {
///   try await clock.sleep(for: .seconds(60))
///   return "a minute later"
/// }
/// await clock.sleeping()
/// await clock.advance(by: .seconds(60))
/// #expect(try await task.value == "a minute later")
/// ```
public final class ManualClock: Clock, @unchecked Sendable {
  /// A point in time on a manual clock.
  public struct Instant: InstantProtocol, Sendable {
    /// The duration between the start of the clock and this instant.
    public let offset: Duration

    /// Returns the instant that is a given duration later than this instant.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// Returns the duration from this instant to another instant.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Returns whether the first instant is earlier than the second instant.
    public static func < (first: Instant, second: Instant) -> Bool {
      first.offset < second.offset
    }
  }

  private struct Sleeper {
    let number: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>

    /// The task rests, so that `settled(advancing:)` may advance the clock.
    let suspension = TaskSuspension(.resting)
  }

  // `lock` guards all properties below.
  private let lock = Lock()
  private var time = Instant(offset: .zero)

  /// The sleeping tasks in the order of their deadlines.
  private var sleepers: [Sleeper] = []
  private var lastNumber = 0

  /// A sleep that has begun.
  private typealias Sleep = (number: Int, deadline: Instant, duration: Duration)

  /// The calls of `sleeping`. A cancelled sleep counts only for a call that has received it before.
  private var claims = Claims<Sleep>()

  private let jobs = Jobs.beginClock()

  /// Creates a clock that starts at zero.
  public init() {}

  deinit { jobs.endClock() }

  /// The current instant of the clock.
  public var now: Instant { lock.withLock { time } }

  /// Always zero, because the clock is exact.
  public var minimumResolution: Duration { .zero }

  /// Waits until the clock reaches a deadline or the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = lock.withLock {
      lastNumber += 1
      return lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let sleeper = Sleeper(number: number, deadline: deadline, continuation: continuation)
        let (isAsleep, due) = lock.withLock {
          let duration = time.duration(to: deadline)
          guard duration > .zero else { return (false, [Claims<Sleep>.Claim]()) }
          let former = sleepers.lastIndex { ($0.deadline, $0.number) < (deadline, number) }
          sleepers.insert(sleeper, at: former.map { $0 + 1 } ?? 0)
          return (true, claims.add((number, deadline, duration)))
        }
        if isAsleep { sleeper.suspension.begin() } else { continuation.resume() }
        for claim in due { claim.notify() }
        // The cancellation handler might have run before `sleepers` contained this sleep.
        if Task.isCancelled { cancel(number) }
      }
    } onCancel: {
      whileCancelling { cancel(number) }
    }
    try Task.checkCancellation()
  }

  private func cancel(_ number: Int) {
    let sleeper = lock.withLock { () -> Sleeper? in
      guard let index = sleepers.firstIndex(where: { $0.number == number }) else { return nil }
      claims.entries.removeAll { $0.number == number }
      sleepers[index].suspension.end()
      return sleepers.remove(at: index)
    }
    guard let sleeper else { return }
    jobs.waking { sleeper.continuation.resume(throwing: CancellationError()) }
  }

  /// Advances the clock at once, and wakes the tasks whose deadlines it has reached, in the order of their deadlines.
  ///
  /// The woken tasks run later, when the clock already shows the last instant, as after a machine has been suspended. In an
  /// asynchronous function, the compiler chooses the asynchronous method of the same name, unless you call this one in a
  /// synchronous closure.
  public func advance(by duration: Duration) {
    wake(advance { $0.advanced(by: duration.clamped) })
  }

  private func wake(_ sleepers: [Sleeper]) {
    jobs.waking { for sleeper in sleepers { sleeper.continuation.resume() } }
  }

  /// Advances the clock from deadline to deadline, and lets the woken tasks run at each of them.
  ///
  /// A task that sleeps five times for a second is awake five times in five seconds:
  ///
  /// ```swift
  /// let seconds = Variable<[Duration]>([])
  /// let ticks = Task {
  ///   for _ in 1...5 {
  ///     try await clock.sleep(for: .seconds(1))
  ///     seconds.value.append(clock.now.offset)
  ///   }
  /// }
  /// await clock.advance(by: .seconds(5))
  /// try await ticks.value
  /// #expect(seconds.value == [.seconds(1), .seconds(2), .seconds(3), .seconds(4), .seconds(5)])
  /// ```
  ///
  /// Before the first and after each deadline, the method waits until every task has gone as far as it can: until the task
  /// sleeps, waits for something else, or has ended. It waits for the tasks that the clock has woken, those that your test
  /// has started, and those that they have started, however busy the machine is.
  ///
  /// - Create the clock in the test or in its suite: a clock knows the tasks of the task that has created it.
  /// - On the main actor, the method waits for jobs that other jobs of the main actor have enqueued, up to 8 in a row.
  /// - The clock doesn't know of work on dispatch queues or on executors of your own, or of an answer from a network. If
  ///   such work leads to a sleep, first wait for ``sleeping(_:within:isolation:fileID:filePath:line:column:)``.
  /// - Except with Swift 6.3 on Linux, the clock doesn't know of a task that yields after it has run on an actor.
  /// - If a task never waits, such as a loop over `Task.yield()`, the method waits forever.
  ///
  /// In a scenario of `everyInterleaving`, the method doesn't wait, because the scenario explores each order.
  ///
  /// - Parameters:
  ///   - duration: The time between the first and the last instant.
  ///   - isolation: The actor of the caller.
  public func advance(
    by duration: Duration,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    let end = now.advanced(by: duration.clamped)
    repeat { await settle() } while advanceToNextDeadline(before: end)
  }

  /// Waits until the test's tasks have gone as far as they can.
  func settle() async {
    #if DEBUG
      guard scheduledThread == nil else { return }
    #endif
    await jobs.settle()
  }

  /// Advances the clock to the next deadline of a sleeping task, and wakes the task.
  ///
  /// - Parameter end: The latest instant to advance to. If no deadline is earlier or equal, the clock shows this
  ///   instant afterward.
  /// - Returns: Whether the clock has reached a deadline.
  @discardableResult package func advanceToNextDeadline(before end: Instant? = nil) -> Bool {
    let due = advance { now in [sleepers.first?.deadline, end].compactMap(\.self).min() ?? now }
    wake(due)
    return !due.isEmpty
  }

  /// Sets the time to the result of a closure, which this method calls under the lock, unless the result is earlier. A later
  /// call of `sleeping()` doesn't return the sleeps that end now.
  ///
  /// A due task counts as busy before this method unlocks. So `settled(advancing:)` can't find that all work
  /// is resting while no task sleeps on the clock.
  ///
  /// - Returns: The sleepers whose deadlines the clock has reached. The caller wakes them.
  private func advance(to end: (_ now: Instant) -> Instant) -> [Sleeper] {
    lock.withLock {
      time = max(time, end(time))
      claims.entries.removeAll { $0.deadline <= time }
      // `map` copies the storage, because the thread sanitizer can't see how threads hand over a shared array.
      let due = sleepers.prefix { $0.deadline <= time }.map(\.self)
      sleepers.removeFirst(due.count)
      for sleeper in due { sleeper.suspension.end() }
      return due
    }
  }

  /// A sentence that lists the deadlines of the sleeping tasks. The text is empty if no task is sleeping.
  package var sleepersByNow: String {
    let (now, deadlines) = lock.withLock { (time, sleepers.map(\.deadline)) }
    guard !deadlines.isEmpty else { return "" }
    let list = deadlines.map { "\($0.offset)" }.joined(separator: ", ")
    return " The clock shows \(now.offset). Tasks are sleeping until \(list)."
  }

  /// Waits until tasks begin to sleep on this clock. Each call waits for new sleeps, for which no earlier call has waited.
  /// A sleep that is cancelled before a call has waited for it doesn't count.
  ///
  /// - Parameters:
  ///   - count: The number of sleeps to wait for.
  ///   - limit: The maximum time to wait. If it runs out, or the task is cancelled, the test fails.
  ///   - isolation: The actor of the caller.
  ///   - fileID: The location that a failure refers to, which is the location of the call by default.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  /// - Returns: The durations that the tasks are going to sleep.
  @discardableResult
  public func sleeping(
    _ count: Int = 1,
    within limit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async -> [Duration] {
    let place = Place(fileID, filePath, line, column)
    var claim: Claims<Sleep>.Claim?
    _ = await wait(atMost: limit) { notify in
      let new = Claims<Sleep>.Claim(count, notify)
      claim = new
      for due in lock.withLock({ claims.add(new) }) { due.notify() }
    }
    let sleeps = claim.map { claim in lock.withLock { claims.end(claim) } } ?? []
    let durations = sleeps.map(\.duration)
    if durations.count < count {
      place.fail(
        """
        \(waited(limit)) for sleeps on this clock: \(durations.count) of \(count) \
        began.\(sleepersByNow)
        """
      )
    }
    return durations
  }
}
