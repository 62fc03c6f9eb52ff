import FluxCapacitor
import Foundation

/// The jobs of a test's tasks that are queued or running. If there are none, each task waits for something: it sleeps, awaits
/// another task, or has ended.
///
/// A job is the part of a task between two suspensions. A job counts here if one of these jobs enqueues it, or if the task
/// enqueues it that has created a `ManualClock` of the test, or if the clock wakes it. So the count contains what the test
/// starts and wakes, and nothing of other tests.
///
/// The main actor runs its jobs by itself, unknown to the hook. `settle()` lets them run first, and those that they enqueue on
/// the main actor. If such a job goes on outside of the main actor, it counts for all tests. If no task has created a clock,
/// such as a property of an `XCTestCase`, all unknown jobs count here.
final class Jobs: TaskExecutor, @unchecked Sendable {
  /// What a thread does for a `Jobs`: it runs a job, or wakes tasks. What it enqueues counts for no test if `jobs` is nil.
  private struct Work {
    let jobs: Jobs?
    var job: UInt = 0

    /// Whether the job has enqueued itself, which isn't a suspension. A task without a preference for an executor hops from
    /// this executor to the default executor, on which it would run otherwise.
    var hasHopped = false
  }

  private struct Table {
    /// The work of each thread that has any.
    var work: [ObjectIdentifier: Work] = [:]

    /// The jobs of the tests, by the tasks that have created clocks. To nil, for clocks that no task has created, belong the
    /// jobs that no known task has enqueued.
    var ofTests: [TaskNumber?: Jobs] = [:]
  }

  private static let table = Guarded(Table())

  /// The jobs that have left the main actor.
  private static let ofAllTests = Jobs(of: nil)

  private struct State {
    var clocks = 0
    var count = 0

    /// The number of jobs so far.
    var total = 0
    var waiters: [@Sendable () -> Void] = []
  }

  private let state = Guarded(State())
  private let test: TaskNumber?

  private init(of test: TaskNumber?) { self.test = test }

  // MARK: Clocks

  /// Returns the jobs of the test whose task creates a clock.
  static func beginClock() -> Jobs {
    _ = EnqueueHook.isSet
    let test = TaskNumber()
    return table.withLock { table in
      let jobs = table.ofTests[test] ?? Jobs(of: test)
      jobs.state.withLock { $0.clocks += 1 }
      table.ofTests[test] = jobs
      return jobs
    }
  }

  /// Forgets a clock.
  func endClock() {
    Jobs.table.withLock { table in
      let isLast = state.withLock { state in
        state.clocks -= 1
        return state.clocks == 0
      }
      if isLast { table.ofTests[test] = nil }
    }
  }

  /// Runs a closure that wakes tasks, whose jobs count here.
  func waking(_ body: () -> Void) { Jobs.waking(for: self, body) }

  private static func waking(for jobs: Jobs?, _ body: () -> Void) {
    let former = Jobs.replaceWork(with: Work(jobs: jobs))
    body()
    _ = Jobs.replaceWork(with: former)
  }

  private static func replaceWork(with work: Work?) -> Work? {
    let thread = ObjectIdentifier(Thread.current)
    return table.withLock { table in
      defer { table.work[thread] = work }
      return table.work[thread]
    }
  }

  // MARK: Jobs

  /// Runs a job that the default executor would run, if the job belongs to a test.
  static func take(_ job: UnownedJob) -> Bool {
    let thread = ObjectIdentifier(Thread.current)
    let current = TaskNumber()
    let (jobs, hasHopped) = table.withLock { table -> (Jobs?, Bool) in
      let work = table.work[thread]
      // While a task hops, it isn't current. A yield's job can have the address of the ended job of an actor.
      if let work, work.job == job.address, current == nil {
        table.work[thread]?.hasHopped = true
        return (nil, true)
      }
      // The test's task might run here because of a former clock.
      if let current, let jobs = table.ofTests[current] { return (jobs, false) }
      if let work { return (work.jobs, false) }
      let isOfMain = MainQueue.isCurrent && !table.ofTests.isEmpty
      return (isOfMain ? ofAllTests : table.ofTests[nil], false)
    }
    jobs?.add(job)
    return hasHopped || jobs != nil
  }

  /// Runs a job of a task that runs here already, for example after a `Task.yield()`.
  func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

  private func add(_ job: UnownedJob) {
    state.withLock { state in
      state.count += 1
      state.total += 1
    }
    DispatchQueue.global().async { self.run(job) }
  }

  private func run(_ job: UnownedJob) {
    var former: Work?
    repeat {
      former = Jobs.replaceWork(with: Work(jobs: self, job: job.address))
      job.runSynchronously(on: asUnownedTaskExecutor())
    } while Jobs.replaceWork(with: nil)?.hasHopped ?? false
    if let former { _ = Jobs.replaceWork(with: former) }
    let waiters = state.withLock { state in
      state.count -= 1
      guard state.count == 0 else { return [@Sendable () -> Void]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  // MARK: Waiting

  /// Waits until no job of the test and no job of the main actor is queued or running.
  ///
  /// The caller resumes once, at the end, because in a busy process each resumption of a task waits behind all other tests.
  func settle() async {
    await withCheckedContinuation { continuation in whenSettled { continuation.resume() } }
  }

  private func whenSettled(_ completion: @escaping @Sendable () -> Void) {
    let total = Jobs.ofAllTests.total + self.total
    whenNoneIsLeft {
      Jobs.ofAllTests.whenNoneIsLeft {
        self.whenMainActorRests(Jobs.longestChain, total, completion)
      }
    }
  }

  /// The main actor runs its jobs in the order in which they were enqueued. Each pass through its queue lets those run that
  /// the jobs of the former one have enqueued.
  private func whenMainActorRests(
    _ passes: Int,
    _ total: Int,
    _ completion: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.main.async {
      if Jobs.ofAllTests.total + self.total != total {
        self.whenSettled(completion)
      } else if passes > 1 {
        self.whenMainActorRests(passes - 1, total, completion)
      } else {
        // The waiting test counts nowhere.
        Jobs.waking(for: nil, completion)
      }
    }
  }

  /// The number of jobs of the main actor that `settle()` waits for if each of them enqueues the next one.
  private static let longestChain = 8

  private var total: Int { state.withLock { $0.total } }

  /// Calls a closure as soon as no job is left.
  private func whenNoneIsLeft(_ body: @escaping @Sendable () -> Void) {
    let isLeft = state.withLock { state in
      if state.count > 0 { state.waiters.append(body) }
      return state.count > 0
    }
    if !isLeft { body() }
  }
}

/// A task's number, which no other task of the process ever has.
///
/// The address of a task, which is its hash value, can belong to a later task while a clock of the first one still lives.
private struct TaskNumber: Hashable {
  private let description: String

  /// The number of the task that runs the calling code, or nil outside tasks.
  init?() {
    // Both structures have only a reference to the task, which is a job. Only a job's description shows the number.
    let job = withUnsafeCurrentTask { $0.map { unsafeBitCast($0, to: UnownedJob.self) } }
    guard let job else { return nil }
    description = "\(job)"
  }
}
