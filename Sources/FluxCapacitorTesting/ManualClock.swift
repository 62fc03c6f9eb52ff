import FluxCapacitor

/// A clock that stands still until a test advances it. Use this clock to test code that sleeps.
///
/// ```swift
/// let clock = ManualClock()
/// let task = Task {
///   try await clock.sleep(for: .seconds(60))
///   return "a minute later"
/// }
/// await clock.sleeping()
/// clock.advance(by: .seconds(60))
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
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>

    /// The task rests, so that `settled(advancing:)` may advance the clock.
    let suspension = TaskSuspension(.resting)

  }

  /// A call of `sleeping` that waits for sleeps.
  private final class Claim {
    let count: Int
    let notify: @Sendable () -> Void
    var durations: [Duration] = []

    init(_ count: Int, _ notify: @escaping @Sendable () -> Void) {
      self.count = count
      self.notify = notify
    }
  }

  // `lock` guards all properties below, and the claims.
  private let lock = Lock()
  private var time = Instant(offset: .zero)
  private var sleepers: [Int: Sleeper] = [:]
  private var lastNumber = 0

  /// The sleeps that have begun, were not cancelled, and belong to no claim yet.
  private var begun: [(number: Int, duration: Duration)] = []
  private var claims: [Claim] = []

  /// Creates a clock that starts at zero.
  public init() {}

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
        let sleeper = Sleeper(deadline: deadline, continuation: continuation)
        let (isAsleep, due) = lock.withLock {
          let duration = time.duration(to: deadline)
          guard duration > .zero else { return (false, [Claim]()) }
          sleepers[number] = sleeper
          begun.append((number, duration))
          return (true, takeDueClaims())
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
    let sleeper = lock.withLock {
      let sleeper = sleepers.removeValue(forKey: number)
      if sleeper != nil { begun.removeAll { $0.number == number } }
      sleeper?.suspension.end()
      return sleeper
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }

  /// Advances the clock, and wakes the sleeping tasks whose deadlines the clock has reached, in the order
  /// of their deadlines.
  public func advance(by duration: Duration) {
    advance { $0.advanced(by: duration) }
  }

  /// Advances the clock to the next deadline of a sleeping task. A later call of `sleeping()` doesn't return
  /// the sleeps that end now.
  ///
  /// - Returns: Whether a task was sleeping.
  func advanceToNextDeadline() -> Bool {
    advance { now in
      let deadline = sleepers.values.map(\.deadline).min() ?? now
      begun.removeAll { sleepers[$0.number].map { $0.deadline <= deadline } ?? true }
      return deadline
    }
  }

  /// Sets the time to the result of a closure, which this method calls under the lock.
  ///
  /// A woken task counts as busy before this method unlocks. So `settled(advancing:)` can't find that all work
  /// is resting while no task sleeps on the clock.
  ///
  /// - Returns: Whether the method has woken a task.
  @discardableResult private func advance(to end: (_ now: Instant) -> Instant) -> Bool {
    let due = lock.withLock {
      time = end(time)
      let due = sleepers.filter { $0.value.deadline <= time }
      for (number, sleeper) in due {
        sleepers[number] = nil
        sleeper.suspension.end()
      }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
    }
    for sleeper in due { sleeper.value.continuation.resume() }
    return !due.isEmpty
  }

  /// A sentence that lists the deadlines of the sleeping tasks. The text is empty if no task is sleeping.
  package var sleepersByNow: String {
    let (now, deadlines) = lock.withLock { (time, sleepers.values.map(\.deadline).sorted()) }
    guard !deadlines.isEmpty else { return "" }
    let list = deadlines.map { "\($0.offset)" }.joined(separator: ", ")
    return " The clock shows \(now.offset). Tasks are sleeping until \(list)."
  }

  /// Waits until tasks begin to sleep on this clock. Each call waits for new sleeps, which no earlier call
  /// has waited for. A sleep that is cancelled before a call has waited for it doesn't count.
  ///
  /// - Parameters:
  ///   - count: The number of sleeps to wait for.
  ///   - limit: The maximum time to wait. If the wait times out, the test fails.
  ///   - isolation: The actor of the caller.
  ///   - fileID: The location that a failure refers to, which is the location of the call by
  ///     default.
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
    var claim: Claim?
    _ = await wait(atMost: limit) { claim = self.claim(count, $0) }
    let durations = claim.map(end) ?? []
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

  private func claim(_ count: Int, _ notify: @escaping @Sendable () -> Void) -> Claim {
    let claim = Claim(count, notify)
    let due = lock.withLock {
      claims.append(claim)
      return takeDueClaims()
    }
    for claim in due { claim.notify() }
    return claim
  }

  /// Gives the first claims their sleeps, and returns the complete claims. The caller must hold the lock.
  private func takeDueClaims() -> [Claim] {
    var due: [Claim] = []
    while let claim = claims.first, begun.count >= claim.count {
      claim.durations = begun.prefix(claim.count).map(\.duration)
      begun.removeFirst(claim.count)
      due.append(claims.removeFirst())
    }
    return due
  }

  /// Ends a claim, and returns its sleeps. An incomplete claim takes the sleeps that have begun.
  private func end(_ claim: Claim) -> [Duration] {
    lock.withLock {
      if let index = claims.firstIndex(where: { $0 === claim }) {
        claims.remove(at: index)
        claim.durations = begun.map(\.duration)
        begun = []
      }
      return claim.durations
    }
  }
}
