#if DEBUG
  import Testing

  /// The issues that a schedule records. They fail the schedule instead of the test, which fails with the report.
  final class ScheduleIssues: @unchecked Sendable {
    @TaskLocal static var current: ScheduleIssues?

    // Either the thread that explores or one thread of the scenario runs.
    @exclusivity(unchecked) private var run: ScheduleRun?

    /// Whether the run has failed with the issue that Swift Testing handles next.
    @exclusivity(unchecked) private var hasTaken = false

    /// Runs a closure. Each issue that the closure and the scenario's threads record fails the run.
    static func collect(for run: ScheduleRun, _ body: () -> Void) {
      let current = current
      current?.run = run
      defer { current?.run = nil }
      // A user's scope of known issues around the exploration gets only the issues that this scope doesn't take. In a
      // synchronous test, the issues count as known.
      withKnownIssue(isIntermittent: true) {
        body()
      } matching: { issue in
        if !issue.failsSchedule { return false }
        run.fail(issue)
        current?.hasTaken = true
        return true
      }
    }

    /// Returns an issue that no schedule has recorded.
    func issue(besides issue: Issue) -> Issue? {
      if hasTaken {
        hasTaken = false
        return nil
      }
      guard let run, issue.failsSchedule else { return issue }
      run.fail(issue)
      return nil
    }
  }

  extension Issue {
    /// Whether the issue is neither known nor a warning.
    fileprivate var failsSchedule: Bool {
      #if compiler(>=6.3)
        isFailure
      #else
        true
      #endif
    }
  }

  /// Runs the bodies of a scenario's threads as parts of the test that explores, so that their issues belong to the test.
  ///
  /// A part of a test is a task with the test's task-local values. So the context keeps a task in reserve, which creates the
  /// next one before it runs a body.
  final class TestContext: TaskExecutor, @unchecked Sendable {
    // One thread runs at a time, and no other thread continues between the properties' uses.
    @exclusivity(unchecked) private var reserve: UnownedJob?
    @exclusivity(unchecked) private var body: (() -> Void)?

    func enqueue(_ job: consuming ExecutorJob) { reserve = UnownedJob(job) }

    /// Creates the first task in reserve.
    func begin() {
      Task(executorPreference: self) {
        guard let body = self.body.take() else { return }
        self.begin()
        body()
      }
    }

    /// Runs a closure in the task in reserve.
    func perform(_ body: @escaping () -> Void) {
      self.body = body
      end()
    }

    /// Ends the task in reserve.
    func end() { reserve.take()?.runSynchronously(on: asUnownedTaskExecutor()) }
  }
#endif
