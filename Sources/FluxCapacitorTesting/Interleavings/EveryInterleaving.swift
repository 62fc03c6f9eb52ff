import FluxCapacitor

/// Runs a scenario of a few threads through every order of their steps, and fails the test at the
/// first order that fails a check.
///
/// A race may show in one run of a thousand, or never on this machine. Here, the threads run one at a time.
/// At each step that another thread could notice, the function also tries schedules in which another thread
/// continues first. A step is an access of the library to shared state: a lock, a read of a constant, a call
/// of an observer. So a test finds a fault in the same schedule each time. If a fault comes back later, the
/// test finds it again.
///
/// ```swift
/// @Test func concurrentIncrementsAreNotLost() {
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
/// - Each schedule creates a new scenario. While you set up the scenario, and on its threads, a new
///   dispatcher takes the place of `Dispatcher.shared`. The scenario must do the same thing each time. Don't
///   use random numbers, clocks, or anything that an earlier schedule has left behind.
/// - Call ``interleavingPoint()`` before each access to state of your own that several threads share. Don't
///   hold a lock of your own at such a point, or while you use the library. The same rule holds in a
///   cancellation handler of your own, because the runtime calls it under a lock.
/// - Each block that the library sends to a queue is a thread of the scenario too, and so is each job of a
///   task. A job is the part of a task between two suspensions. Time doesn't pass: let code that sleeps use a
///   ``ManualClock``.
/// - A job of the main actor counts as main: `MainActor.assumeIsolated` works in it, and an observer on
///   `.main` is called immediately. These jobs and the blocks on the main queue run one at a time, in the
///   order in which they were enqueued. None of them runs on the main thread of the process, so
///   `Thread.isMainThread` is false there.
/// - Start tasks in the threads and tasks of the scenario. A task that you start while you set up the
///   scenario runs outside of it.
/// - The function runs all schedules with up to a given number of preemptions. A preemption is a switch from
///   a thread that could have continued. A job that overtakes an earlier job counts as a preemption too if
///   the earlier job could have continued, on the main actor or elsewhere. So without preemptions, jobs run
///   in the order in which they were enqueued. Most faults need one or two preemptions. With *n* preemptions,
///   the number of schedules grows with the *n*-th power of the number of steps.
///
/// The failure lists the steps: the last 80, if there are more. It also prints a schedule that you can run
/// again, as often as you like and in a debugger too: `everyInterleaving(replaying: "1×12 2×7 1×3") { … }`.
/// If the threads wait for each other, the failure says why each of them waits, and the threads stay blocked.
///
/// The function needs a debug build. In a release build, the library has no points at which to switch
/// threads, so the test fails with a message that says so.
///
/// - Parameters:
///   - preemptions: The largest number of preemptions in a schedule.
///   - schedule: A single schedule to run, in the form in which a failure prints it.
///   - fileID: Where a failure is reported: by default, at the call.
///   - filePath: See `fileID`.
///   - line: See `fileID`.
///   - column: See `fileID`.
///   - scenario: A closure that sets up the scenario: its state, its threads and its checks.
/// - Returns: The number of schedules that were run.
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
      everyInterleaving needs a debug build, because a release build has no points at which to switch \
      threads. Run `swift test` without `-c release`, or exclude this test with `#if DEBUG`.
      """
    )
    return 0
  #endif
}

/// Marks a point at which an interleaving may switch threads.
///
/// Call it before each access to state that threads share outside the library. Outside of
/// ``everyInterleaving(preemptions:replaying:fileID:filePath:line:column:_:)``, it does nothing.
public func interleavingPoint() {
  #if DEBUG
    // All points count as writes to one place, because it isn't known which state the caller accesses.
    scheduledThread?.reach(.write(2))
  #endif
}

/// The threads of an interleaving, and its checks.
///
/// See ``everyInterleaving(preemptions:replaying:fileID:filePath:line:column:_:)``.
public final class Scenario {
  enum Body: Sendable {
    case thread(@Sendable () throws -> Void)
    case task(@Sendable () async throws -> Void)
  }

  var threads: [(name: String?, isMain: Bool, body: Body)] = []
  var checks: [() throws -> Void] = []

  /// Adds a thread. If its body throws, the schedule fails.
  ///
  /// - Parameters:
  ///   - name: The name by which a failure refers to it: by default, its number.
  ///   - body: The work of the thread.
  public func thread(_ name: String? = nil, _ body: @escaping @Sendable () throws -> Void) {
    threads.append((name, false, .thread(body)))
  }

  /// Adds a task. Each part of it between two suspensions is a thread. If its body throws, the schedule
  /// fails.
  ///
  /// The body may be on the main actor: `scenario.task { @MainActor in model.load() }`.
  ///
  /// - Parameters:
  ///   - name: The name by which a failure refers to it: by default, its number.
  ///   - body: The work of the task.
  public func task(_ name: String? = nil, _ body: @escaping @Sendable () async throws -> Void) {
    threads.append((name, false, .task(body)))
  }

  /// Adds a thread that stands for the main queue.
  package func mainThread(_ body: @escaping @Sendable () throws -> Void) {
    threads.append(("main", true, .thread(body)))
  }

  /// Adds a check of the result. It runs at the end of each schedule, when all threads have ended.
  ///
  /// - Parameter body: A closure that throws, or fails an expectation of Swift Testing, if the result is
  ///   wrong.
  public func check(_ body: @escaping () throws -> Void) {
    checks.append(body)
  }
}

// Only the closure that sets up the scenario uses it.
@available(*, unavailable)
extension Scenario: Sendable {}
