import FluxCapacitor

/// Runs a scenario of a few threads in every order of the threads' steps with up to `preemptions` preemptions, and fails at
/// the first order that fails a check.
///
/// In ordinary tests, a race might fail one run in a thousand, or never on this machine. This function finds a race in the
/// same schedule each time, and finds it again if it returns later:
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
/// The function runs the threads one at a time, and controls which of them takes the next step. A step is the library's
/// access to shared state, such as a lock, a read of a constant, or a call to an observer. At each step that other threads
/// could notice, the function also tries schedules in which a different thread continues first.
///
/// - The function creates a new scenario for each schedule, and replaces `Dispatcher.shared` with a new dispatcher, both in
///   the setup and on the threads. Each run of the scenario must do the same work, so don't use random numbers, clocks, or
///   state that an earlier schedule has left behind.
/// - If threads share state outside the library, call ``interleavingPoint()`` before each access to it. Hold no lock of
///   your own while you call ``interleavingPoint()`` or use the library, and wait for no semaphore. Don't use the library
///   in a task's cancellation handler, because the runtime holds a lock during the handler.
/// - Each block that the library sends to a queue also runs as a thread of the scenario, and so does each job of a task,
///   which is the part between two suspensions. Time doesn't pass in a scenario, so code that sleeps must use a
///   ``ManualClock``.
/// - Jobs of the main actor and blocks on the main queue run one at a time, in the order in which they were enqueued. In
///   such a job, `MainActor.assumeIsolated` works, and observers on `.main` are called immediately. `Thread.isMainThread`
///   is false in these jobs and blocks, because they don't run on the main thread of the process.
/// - Start tasks in the threads and tasks of the scenario. A task that you start during the setup runs outside the
///   scenario.
/// - An expectation that fails anywhere in the scenario (in its setup, its threads, its tasks or its checks) fails the
///   schedule. In a synchronous test, Swift Testing doesn't notice an expectation in a detached task: make such a test
///   asynchronous.
/// - A preemption is a switch away from a thread that could have continued. If a job overtakes an earlier job that could
///   have continued, this counts as a preemption too. Without preemptions, jobs run in the order in which they were
///   enqueued. Most faults need one or two preemptions. The function first runs the schedules with up to one. With *n*
///   preemptions, the number of schedules grows with the *n*-th power of the number of steps.
///
/// A failure message describes the schedule. For each line of your code, it lists the operations that the line performs,
/// such as "reads count: 0". In parentheses follow the library's function that takes the operation's first step, and the
/// number of steps. To run the schedule again, for example in a debugger, call the function as the message shows:
/// `everyInterleaving(replaying: "1×12 2×7 1×3") { … }`. In a deadlock, the message says why each thread waits, and the
/// threads stay blocked. Effects that wait for each other count as a deadlock too. Other effects may still wait at the end,
/// for example at a ``Gate`` that a check opens.
///
/// The function blocks the calling thread. An asynchronous test calls the asynchronous function of the same name, which
/// explores on a thread of its own.
///
/// A long exploration writes one line to standard error after every 10,000 schedules. If that is too long, pass a limit:
/// `everyInterleaving(limit: 2_000) { … }` runs a sample of so many schedules.
///
/// The function needs a debug build. In a release build, the test fails, because the library has no points at which the
/// function can switch threads.
///
/// - Parameters:
///   - preemptions: The maximum number of preemptions in a schedule.
///   - limit: The maximum number of schedules. If half of them aren't enough for all schedules, the other half are random
///     ones, the same in each run. By default, there is no limit.
///   - schedule: A single schedule to run, in the form that a failure message contains.
///   - fileID: The location that a failure refers to, which is the location of the call by default.
///   - filePath: See `fileID`.
///   - line: See `fileID`.
///   - column: See `fileID`.
///   - scenario: A closure that sets up the scenario's state, threads and checks.
/// - Returns: The number of schedules that the function has run.
@discardableResult
public func everyInterleaving(
  preemptions: Int = 2,
  limit: Int? = nil,
  replaying schedule: String? = nil,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  _ scenario: (Scenario) throws -> Void
) -> Int {
  run(.every(preemptions, limit, schedule), at: Place(fileID, filePath, line, column), scenario)
}

/// Runs a scenario of a few threads in every order of the threads' steps with up to `preemptions` preemptions, on a thread
/// of its own.
///
/// An asynchronous test calls this function. It behaves like the synchronous function of the same name, but leaves the
/// threads of the cooperative pool to other tests while it explores. Only as many explorations run at a time as the machine
/// has processors. Later ones wait.
///
/// - Parameters:
///   - preemptions: The maximum number of preemptions in a schedule.
///   - limit: The maximum number of schedules. If half of them aren't enough for all schedules, the other half are random
///     ones, the same in each run. By default, there is no limit.
///   - schedule: A single schedule to run, in the form that a failure message contains.
///   - fileID: The location that a failure refers to, which is the location of the call by default.
///   - filePath: See `fileID`.
///   - line: See `fileID`.
///   - column: See `fileID`.
///   - scenario: A closure that sets up the scenario's state, threads and checks.
/// - Returns: The number of schedules that the function has run.
@discardableResult
public func everyInterleaving(
  preemptions: Int = 2,
  limit: Int? = nil,
  replaying schedule: String? = nil,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  _ scenario: @escaping @Sendable (Scenario) throws -> Void
) async -> Int {
  await run(
    .every(preemptions, limit, schedule),
    at: Place(fileID, filePath, line, column),
    scenario
  )
}

/// Runs a scenario of a few threads in random orders of the threads' steps, and fails at the first order that fails a
/// check.
///
/// Use it if ``everyInterleaving(preemptions:limit:replaying:fileID:filePath:line:column:_:)-8ucnw`` takes too long,
/// because a fault needs more preemptions or threads. Here, four threads have too many orders, but a thousand random ones
/// take a second:
///
/// ```swift
/// @Test func increments() {
///   everyInterleaving(random: 1_000, seed: 7) { scenario in
///     let store = CounterStore.instantiate()
///     for _ in 1...4 {
///       scenario.thread { CounterAction().increment() }
///     }
///     scenario.check { #expect(store.count.value == 4) }
///   }
/// }
/// ```
///
/// The same seed always gives the same orders. A thread is interrupted only where it uses something that another thread
/// uses too. A failure message contains the schedule, which you can run again with the other function's `replaying`.
///
/// - Parameters:
///   - schedules: The number of random orders.
///   - seed: Any number. A different number gives different orders.
///   - fileID: The location that a failure refers to, which is the location of the call by default.
///   - filePath: See `fileID`.
///   - line: See `fileID`.
///   - column: See `fileID`.
///   - scenario: A closure that sets up the scenario's state, threads and checks.
/// - Returns: The number of orders that the function has run: all, or those up to the first failure.
@discardableResult
public func everyInterleaving(
  random schedules: Int,
  seed: UInt64,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  _ scenario: (Scenario) throws -> Void
) -> Int {
  run(.random(schedules, seed), at: Place(fileID, filePath, line, column), scenario)
}

/// Runs a scenario of a few threads in random orders of the threads' steps, on a thread of its own.
///
/// An asynchronous test calls this function. While it explores, the threads of the cooperative pool are free for other
/// tests.
///
/// - Parameters:
///   - schedules: The number of random orders.
///   - seed: Any number. A different number gives different orders.
///   - fileID: The location that a failure refers to, which is the location of the call by default.
///   - filePath: See `fileID`.
///   - line: See `fileID`.
///   - column: See `fileID`.
///   - scenario: A closure that sets up the scenario's state, threads and checks.
/// - Returns: The number of orders that the function has run: all, or those up to the first failure.
@discardableResult
public func everyInterleaving(
  random schedules: Int,
  seed: UInt64,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  _ scenario: @escaping @Sendable (Scenario) throws -> Void
) async -> Int {
  await run(.random(schedules, seed), at: Place(fileID, filePath, line, column), scenario)
}

/// The schedules that a call of `everyInterleaving` runs.
private enum Schedules {
  case every(_ preemptions: Int, _ limit: Int?, _ replayed: String?)
  case random(_ count: Int, _ seed: UInt64)
}

private func run(
  _ schedules: Schedules,
  at place: Place,
  _ scenario: (Scenario) throws -> Void
) -> Int {
  let (failure, count) = explore(schedules, at: place, scenario)
  if let failure { place.fail(failure) }
  return count
}

private func run(
  _ schedules: Schedules,
  at place: Place,
  _ scenario: @escaping @Sendable (Scenario) throws -> Void
) async -> Int {
  nonisolated(unsafe) var (failure, count): (String?, Int) = (nil, 0)
  #if DEBUG
    do {
      try await onExplorationThread {
        (failure, count) = explore(schedules, at: place, scenario)
      }
    } catch {
      failure = "\(error)"
    }
  #else
    (failure, count) = explore(schedules, at: place, scenario)
  #endif
  if let failure { place.fail(failure) }
  return count
}

private func explore(
  _ schedules: Schedules,
  at place: Place,
  _ scenario: (Scenario) throws -> Void
) -> (failure: String?, count: Int) {
  #if DEBUG
    let name =
      "everyInterleaving at \("\(place.fileID)".split(separator: "/").last ?? ""):\(place.line)"
    let exploration: Exploration
    var replayed: String?
    switch schedules {
    case .every(let preemptions, let limit, let schedule):
      replayed = schedule
      exploration = Exploration(
        preemptions: max(0, preemptions),
        isGradual: true,
        limit: limit,
        isReduced: false,
        name: name
      )
    case .random(let count, let seed):
      exploration = Exploration(random: count, seed: seed, name: name)
    }
    return (exploration.run(replaying: replayed, scenario), exploration.schedules)
  #else
    let failure = """
      everyInterleaving needs a debug build, because a release build has no points at which to switch \
      threads. Run `swift test` without `-c release`, or exclude this test with `#if DEBUG`.
      """
    return (failure, 0)
  #endif
}

/// Marks a point at which ``everyInterleaving(preemptions:limit:replaying:fileID:filePath:line:column:_:)-8ucnw`` can
/// switch threads.
///
/// If threads share state outside the library, call this function before each access to it, and before you cancel a task.
/// Outside a scenario, this function has no effect.
public func interleavingPoint() {
  #if DEBUG
    scheduledThread?.reach(.interleavingPoint)
  #endif
}
