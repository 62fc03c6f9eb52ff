import FluxCapacitor

/// Runs a scenario of a few threads through every order of their steps, and fails the test with the
/// first order in which its check does not hold.
///
/// A race shows in one run of a thousand, or never on this machine. Here the threads run one at a time,
/// and at each step that another thread could notice it is tried what happens if another goes on
/// first. A step is whatever the library does with shared state: a lock, a look at a constant, a call of
/// an observer. So a fault is found in the same schedule each time, and none that a test has gone through
/// comes back unnoticed.
///
/// ```swift
/// @Test func incrementsAreNotLost() {
///   everyInterleaving { scenario in
///     let store = CounterStore.instantiate()
///     for _ in 1...2 {
///       scenario.thread { CounterAction().increment() }
///     }
///     scenario.check { #expect(store.count.value == 2) }
///   }
/// }
/// ```
///
/// - The scenario is made anew for each schedule, with a dispatcher of its own in the place of
///   `Dispatcher.shared`, also on its threads. It must do the same each time: no random numbers, no
///   clocks, nothing that an earlier schedule has left.
/// - State of your own that several threads share needs an ``interleavingPoint()`` before each access.
///   A lock of your own must not be held at a point, and so not while the library is used.
/// - Blocks on queues and jobs of tasks are threads of the scenario too. Time does not pass: let what sleeps
///   do so by a ``ManualClock``.
/// - The schedules are all those with up to a number of preemptions, which are switches from a thread
///   that could have gone on, and jobs of tasks that overtake others. Most faults need one or two. Their number grows with the number of steps to
///   the power of that.
///
/// The failure names each step, and gives a schedule that can be run again, as often as wanted and in
/// a debugger too: `everyInterleaving(replaying: "1×12 2×7 1×3") { … }`. If the threads wait for each
/// other, it says what each of them waits for, and leaves them behind.
///
/// It works in debug builds. In a release build, the library has no points: there the test fails, and
/// the sentence says so.
///
/// - Parameters:
///   - preemptions: How many there are at most in a schedule.
///   - schedule: One schedule to be run instead of all, as a failure has printed it.
///   - fileID: Where a failure is reported: at the call.
///   - filePath: The same.
///   - line: The same.
///   - column: The same.
///   - scenario: Makes the scenario: what there is, its threads, and its check.
/// - Returns: How many schedules were run.
@discardableResult
public func everyInterleaving(
  preemptions: Int = 2,
  replaying schedule: String? = nil,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  _ scenario: (Scenario) throws -> Void
) -> Int {
  let place = Place(fileID, filePath, line, column)
  #if DEBUG
    let exploration = Exploration(preemptions: max(0, preemptions), isReduced: false)
    let failure = exploration.run(replaying: schedule, scenario)
    if let failure { place.fail(failure) }
    return exploration.schedules
  #else
    place.fail(
      """
      everyInterleaving needs a debug build, in which FluxCapacitor has points to switch threads at. \
      Run `swift test` without `-c release`, or leave this test out there, with `#if DEBUG`.
      """
    )
    return 0
  #endif
}

/// A point at which ``everyInterleaving(preemptions:replaying:fileID:filePath:line:column:_:)`` may let
/// another thread go on: before an access to state that threads share outside the library.
///
/// Elsewhere it does nothing.
public func interleavingPoint() {
  #if DEBUG
    // All of them are about the same thing, for all that is known here.
    scheduledThread?.reach(.write(2))
  #endif
}

/// What the threads of an interleaving do; see
/// ``everyInterleaving(preemptions:replaying:fileID:filePath:line:column:_:)``.
public final class Scenario {
  enum Body: Sendable {
    case thread(@Sendable () throws -> Void)
    case task(@Sendable () async throws -> Void)
  }

  var threads: [(name: String?, isMain: Bool, body: Body)] = []
  var checks: [() throws -> Void] = []

  /// Adds a thread. If its body throws, the schedule has failed.
  ///
  /// - Parameters:
  ///   - name: What a failure calls it: by default, its number.
  ///   - body: What it does.
  public func thread(_ name: String? = nil, _ body: @escaping @Sendable () throws -> Void) {
    threads.append((name, false, .thread(body)))
  }

  /// Adds a task. Each stretch of it between two suspensions is a thread. If its body throws, the schedule
  /// has failed.
  ///
  /// - Parameters:
  ///   - name: What a failure calls it: by default, its number.
  ///   - body: What it does.
  public func task(_ name: String? = nil, _ body: @escaping @Sendable () async throws -> Void) {
    threads.append((name, false, .task(body)))
  }

  /// Adds a thread that stands for the main queue.
  package func mainThread(_ body: @escaping @Sendable () throws -> Void) {
    threads.append(("main", true, .thread(body)))
  }

  /// Adds a check of what the threads have come to: it runs behind each schedule, when all of them have
  /// ended.
  ///
  /// - Parameter body: Throws, or has an expectation of Swift Testing fail, if that is wrong.
  public func check(_ body: @escaping () throws -> Void) {
    checks.append(body)
  }
}

// It belongs to the closure that makes it up.
@available(*, unavailable)
extension Scenario: Sendable {}
