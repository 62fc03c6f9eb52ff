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

  /// Runs a body that explores scenarios on a thread of its own.
  func onExplorationThread(_ body: @Sendable () async throws -> Void) async throws {
    try await withTaskExecutorPreference(ExplorationThreads.shared) {
      guard let test = Test.current else { return try await body() }
      let issues = ScheduleIssues()
      let trait = IssueHandlingTrait.compactMapIssues { issues.issue(besides: $0) }
      try await trait.provideScope(for: test, testCase: Test.Case.current) {
        try await ScheduleIssues.$current.withValue(issues, operation: body)
      }
    }
  }
#endif
