#if DEBUG
  import Foundation
  import Testing

  /// The threads that explore scenarios for asynchronous tests.
  ///
  /// An exploration blocks its thread. If it ran on a thread of the cooperative pool, other tests would wait for
  /// it. Only as many explorations run at a time as there are processors.
  private final class ExplorationThreads: TaskExecutor {
    static let shared = ExplorationThreads()

    private let queue = OperationQueue()

    private init() {
      queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  /// Runs a body that explores scenarios on a thread of its own. Failed expectations of a check only fail the
  /// schedule.
  func onExplorationThread(_ body: @Sendable () async throws -> Void) async throws {
    try await withTaskExecutorPreference(ExplorationThreads.shared) {
      guard let test = Test.current else { return try await body() }
      let issues = IssuesOfChecks()
      let trait = IssueHandlingTrait.compactMapIssues { issues.issue(besides: $0) }
      try await trait.provideScope(for: test, testCase: Test.Case.current) {
        try await IssuesOfChecks.$current.withValue(issues, operation: body)
      }
    }
  }

  /// The issues that the checks of an exploration record.
  final class IssuesOfChecks: @unchecked Sendable {
    @TaskLocal static var current: IssuesOfChecks?

    // Only the thread that explores uses this property, because a check runs on this thread.
    @exclusivity(unchecked) private var run: ScheduleRun?

    /// Runs a check. Each issue of the check fails the run.
    func check(_ run: ScheduleRun, _ body: () -> Void) {
      self.run = run
      defer { self.run = nil }
      body()
    }

    /// Returns an issue that no check has recorded.
    fileprivate func issue(besides issue: Issue) -> Issue? {
      guard let run else { return issue }
      run.fail(issue)
      return nil
    }
  }
#endif
