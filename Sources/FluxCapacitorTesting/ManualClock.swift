import FluxCapacitor

/// A clock that a test sets forward, for code that waits.
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
  /// A time of the clock's.
  public struct Instant: InstantProtocol, Sendable {
    /// How long after the clock was made.
    public let offset: Duration

    /// The time that is so much later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// How much later another time is.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Whether a time is earlier.
    public static func < (first: Instant, second: Instant) -> Bool {
      first.offset < second.offset
    }
  }

  // All guarded by `lock`.
  private let lock = Lock()
  private var time = Instant(offset: .zero)
  private var sleepers: [Int: (deadline: Instant, continuation: Continuation)] = [:]
  private var lastNumber = 0
  private let beginnings = Recording<Duration>()

  private typealias Continuation = CheckedContinuation<Void, any Error>

  /// A clock that stands at zero.
  public init() {}

  /// What the clock shows.
  public var now: Instant { lock.withLock { time } }

  /// The clock is exact.
  public var minimumResolution: Duration { .zero }

  /// Waits until the clock is set to a time, or the task is cancelled.
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
        // It may have been cancelled before it was there to be found.
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

  /// Sets the clock forward, and wakes those whose time has come, in the order of their deadlines.
  public func advance(by duration: Duration) {
    let due = lock.withLock {
      time = time.advanced(by: duration)
      let due = sleepers.filter { $0.value.deadline <= time }
      for number in due.keys { sleepers[number] = nil }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
    }
    for sleeper in due { sleeper.value.continuation.resume() }
  }

  /// Who sleeps that an earlier call has waited for, or nobody.
  private var sleepersByNow: String {
    let (now, deadlines) = lock.withLock { (time, sleepers.values.map(\.deadline).sorted()) }
    guard !deadlines.isEmpty else { return "" }
    let list = deadlines.map { "\($0.offset)" }.joined(separator: ", ")
    return " It is \(now.offset) by this clock, on which somebody sleeps until \(list)."
  }

  /// Waits until somebody has begun to sleep that no earlier call has waited for.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - limit: How long to wait at most. When the time is up, the test fails.
  ///   - isolation: The actor of the caller.
  ///   - fileID: Where a failure is reported: at the call.
  ///   - filePath: The same.
  ///   - line: The same.
  ///   - column: The same.
  /// - Returns: For how long each of them sleeps, from when it began.
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
      "\(count) to sleep, and \(durations.count) did.\(sleepersByNow)"
    }
  }
}
