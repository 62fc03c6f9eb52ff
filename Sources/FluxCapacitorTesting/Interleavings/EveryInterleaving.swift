import FluxCapacitor

/// Runs a scenario of a few threads through every order of their steps, and fails the test at the
/// first order in which its check fails.
///
/// A race may show in one run of a thousand, or never on this machine. Here, the threads run one at
/// a time, and at each step that another thread could notice, the function tries what happens if
/// another thread continues first. A step is whatever the library does with shared state: a lock, a
/// read of a constant, a call of an observer. So a fault is found in the same schedule each time,
/// and none that a test has explored comes back unnoticed.
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
/// - The scenario is created anew for each schedule, with its own dispatcher in place of
///   `Dispatcher.shared`, on its threads too. It must do the same each time: no random numbers, no
///   clocks, nothing that an earlier schedule has left behind.
/// - State of your own that several threads share needs an ``interleavingPoint()`` before each
///   access. Don't hold a lock of your own at such a point, which means not while you use the
///   library either. The same holds for a cancellation handler of your own: the runtime calls it
///   under a lock.
/// - Blocks that the library sends to queues and jobs of tasks are threads of the scenario too. The
///   stretch of a task between two suspensions is a job. Time doesn't pass: let code that sleeps use
///   a ``ManualClock``.
/// - A job of the main actor counts as main: `MainActor.assumeIsolated` works in it, and an observer
///   on `.main` is called immediately. These jobs and the blocks on the main queue run one at a
///   time, in the order in which they were enqueued. None of them runs on the main thread of the
///   process, so `Thread.isMainThread` is false there.
/// - Start tasks in the threads and tasks of the scenario. A task that you start beside them, while
///   the scenario is set up, runs outside of it.
/// - The schedules are all those with up to a given number of preemptions. A preemption is a switch
///   from a thread that could have continued, or a job that overtakes another: an earlier job could
///   have continued, on the main actor or elsewhere. So without preemptions, jobs run in the order in
///   which they were enqueued. Most faults need one or two preemptions. The number of schedules grows
///   with the number of steps to that power.
///
/// The failure names each step, and gives a schedule that you can run again, as often as you like
/// and in a debugger too: `everyInterleaving(replaying: "1×12 2×7 1×3") { … }`. If the threads wait
/// for each other, the failure says what each of them waits for, and they are left waiting.
///
/// It works in debug builds. In a release build, the library has no such points: the test fails
/// there, and the message says so.
///
/// - Parameters:
///   - preemptions: The largest number of preemptions in a schedule.
///   - schedule: One schedule to run instead of all, as printed by a failure.
///   - fileID: Where a failure is reported: by default, at the call.
///   - filePath: See `fileID`.
///   - line: See `fileID`.
///   - column: See `fileID`.
///   - scenario: Sets up the scenario: its state, its threads and its checks.
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

/// Marks a point at which an interleaving may switch threads: before an access to state that
/// threads share outside the library.
///
/// Outside of ``everyInterleaving(preemptions:replaying:fileID:filePath:line:column:_:)``, it does
/// nothing.
public func interleavingPoint() {
  #if DEBUG
    // All of them are about the same thing, for all that is known here.
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
  ///   - body: What it does.
  public func thread(_ name: String? = nil, _ body: @escaping @Sendable () throws -> Void) {
    threads.append((name, false, .thread(body)))
  }

  /// Adds a task, of which each stretch between two suspensions is a thread. If its body throws,
  /// the schedule fails.
  ///
  /// The body may be on the main actor: `scenario.task { @MainActor in model.load() }`.
  ///
  /// - Parameters:
  ///   - name: The name by which a failure refers to it: by default, its number.
  ///   - body: What it does.
  public func task(_ name: String? = nil, _ body: @escaping @Sendable () async throws -> Void) {
    threads.append((name, false, .task(body)))
  }

  /// Adds a thread that stands for the main queue.
  package func mainThread(_ body: @escaping @Sendable () throws -> Void) {
    threads.append(("main", true, .thread(body)))
  }

  /// Adds a check of the result, which runs at the end of each schedule, when all threads have
  /// ended.
  ///
  /// - Parameter body: Throws, or fails an expectation of Swift Testing, if the result is wrong.
  public func check(_ body: @escaping () throws -> Void) {
    checks.append(body)
  }
}

// It belongs to the closure that makes it up.
@available(*, unavailable)
extension Scenario: Sendable {}
