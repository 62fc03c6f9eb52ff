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

  // `lock` guards `time`, `sleepers` and `lastNumber`.
  private let lock = Lock()
  private var time = Instant(offset: .zero)
  private var sleepers: [Int: (deadline: Instant, continuation: Continuation)] = [:]
  private var lastNumber = 0
  private let beginnings = Recording<Duration>()

  private typealias Continuation = CheckedContinuation<Void, any Error>

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
        let duration = lock.withLock {
          let duration = time.duration(to: deadline)
          if duration > .zero { sleepers[number] = (deadline, continuation) }
          return duration
        }
        if duration > .zero { beginnings.note(duration) } else { continuation.resume() }
        // The cancellation handler might have run before `sleepers` contained this sleep.
        if Task.isCancelled { cancel(number) }
      }
    } onCancel: {
      cancel(number)
    }
    try Task.checkCancellation()
  }

  private func cancel(_ number: Int) {
    let sleeper = lock.withLock { sleepers.removeValue(forKey: number) }
    sleeper?.continuation.resume(throwing: CancellationError())
  }

  /// Advances the clock, and wakes the sleeping tasks whose deadlines the clock has reached, in the order
  /// of their deadlines.
  public func advance(by duration: Duration) {
    let due = lock.withLock {
      time = time.advanced(by: duration)
      let due = sleepers.filter { $0.value.deadline <= time }
      for number in due.keys { sleepers[number] = nil }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
    }
    for sleeper in due { sleeper.value.continuation.resume() }
  }

  /// A sentence that lists the deadlines of the sleeping tasks. The text is empty if no task is sleeping.
  private var sleepersByNow: String {
    let (now, deadlines) = lock.withLock { (time, sleepers.values.map(\.deadline).sorted()) }
    guard !deadlines.isEmpty else { return "" }
    let list = deadlines.map { "\($0.offset)" }.joined(separator: ", ")
    return " The clock shows \(now.offset). Tasks are sleeping until \(list)."
  }

  /// Waits until tasks begin to sleep on this clock. Each call waits for new sleeps, which no earlier call
  /// has waited for.
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
    return await beginnings.next(count, within: limit, orFailAt: place) { durations in
      "sleeps on this clock: \(durations.count) of \(count) began.\(sleepersByNow)"
    }
  }
}
