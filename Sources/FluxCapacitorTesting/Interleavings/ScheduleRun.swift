#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorDebugging
  import Testing

  /// A run of a scenario in the order of one schedule.
  ///
  /// The state of a run needs no lock. At any time, either one thread of the scenario runs, or the
  /// exploration runs while all threads wait. The threads and the exploration hand over to each other
  /// through semaphores.
  final class ScheduleRun: @unchecked Sendable {
    unowned let exploration: Exploration
    let schedule: Schedule?

    /// The dispatcher that replaces `Dispatcher.shared` on the scenario's threads.
    private let dispatcher: Dispatcher
    let isDone = DispatchSemaphore(value: 0)
    let memory = SharedMemory()
    let lockIDs: LockIDs

    @exclusivity(unchecked) var threads: [ScenarioThread] = []
    @exclusivity(unchecked) private(set) var failure: String?

    /// The cause of the failure if its sentence names threads.
    @exclusivity(unchecked) private(set) var halt: Halt?

    /// The numbers of the threads that have taken the steps, in the order of the steps.
    @exclusivity(unchecked) var trace: [Int] = []

    /// The steps and operations for the report, which are recorded only in the replay of a schedule.
    @exclusivity(unchecked) var recording: ScheduleRecording?

    @exclusivity(unchecked) var isAnyoneYielding = false

    /// See `ScheduledThread.missedChanges`.
    @exclusivity(unchecked) var missedChanges: AnyObject?

    /// The threads that wait for a lock in a task's cancellation handler, the latest one last. See
    /// `whileCancelling(_:)`.
    @exclusivity(unchecked) var blockedHandlers: [ScenarioThread] = []

    /// The number of threads that other threads of the scenario have created.
    @exclusivity(unchecked) var births: UInt64 = 0

    /// The number of the scenario's unfinished tasks.
    @exclusivity(unchecked) var openTasks = 0

    /// Runs the threads as parts of the test.
    let context = TestContext()

    /// The number of steps before those that the recording contains.
    private let unrecordedSteps: Int

    /// The names that the scenario gives to its threads and tasks.
    @exclusivity(unchecked) private(set) var givenNames: Set<String> = []

    /// The names of the scenario's tasks, by the runtime's descriptions of their jobs, in a run that records its steps.
    @exclusivity(unchecked) var taskNames: [String: String] = [:]

    /// The name of the task that the running thread creates next, if the scenario has named it.
    @exclusivity(unchecked) var nextTaskName: String?

    /// The number of the exploration's decisions that this run has followed.
    @exclusivity(unchecked) var position = 0 {
      didSet { findNextDecision() }
    }

    /// The number of steps before the next decision, or nil if no decision is left.
    @exclusivity(unchecked) private(set) var nextDecision: Int?

    @exclusivity(unchecked) var preemptions = 0

    /// Whether earlier schedules have covered all continuations from the current step.
    @exclusivity(unchecked) var isKnown = false

    /// The sum of the histories of all threads.
    @exclusivity(unchecked) var histories: UInt64 = 0

    static let main = DispatchQueue.main

    /// The maximum number of steps in a schedule. A schedule with more steps is assumed to be endless. A thread that offers
    /// its deliveries to another thread takes up to 1,500 steps for each offer.
    static let mostSteps = 100_000

    init(
      in exploration: Exploration,
      with dispatcher: Dispatcher,
      _ lockIDs: LockIDs,
      by schedule: Schedule?
    ) {
      self.exploration = exploration
      self.dispatcher = dispatcher
      self.lockIDs = lockIDs
      self.schedule = schedule
      // The end of an endless schedule shows why it doesn't end.
      let steps = schedule?.steps ?? 0
      unrecordedSteps = steps < ScheduleRun.mostSteps ? 0 : steps - 1_000
      if schedule != nil { recording = ScheduleRecording() }
      findNextDecision()
    }

    private func findNextDecision() {
      let decisions = exploration.decisions
      nextDecision = position < decisions.count ? decisions[position].step : nil
    }

    /// Why no thread goes on.
    enum Halt { case endless, blocked }

    func fail(_ sentence: String, because halt: Halt? = nil) {
      if failure == nil { (failure, self.halt) = (sentence, halt) }
    }

    func run(_ scenario: Scenario, isChecked: Bool) {
      givenNames = Set(scenario.threads.compactMap(\.name))
      for thread in scenario.threads {
        let number = threads.count + 1
        let role = ScenarioThread.Role(
          name: thread.name ?? "thread \(number)",
          queue: thread.isMain ? ScheduleRun.main : nil,
          isLast: thread.isLast
        )
        add(role, history: UInt64(number).mixed) { [dispatcher] in
          try withDispatcher(dispatcher) { try self.start(thread.body, named: thread.name) }
        }
      }
      scenario.threads = []
      recording?.collectNames(from: dispatcher)
      guard let first = choose(after: nil) else { return fail("the scenario has no threads.") }
      first.resume()
      isDone.wait()
      if threads.allSatisfy(\.hasEnded) {
        recording?.collectNames(from: dispatcher)
        let effects = dispatcher.pendingWork.deadlock.joined(separator: " ")
        if !effects.isEmpty { fail("effects wait for each other. \(effects)") }
      }
      guard isChecked, failure == nil else { return }
      for check in scenario.checks {
        do { try check() } catch { fail("the check", throwing: error) }
      }
    }

    var isRecording: Bool { recording != nil && trace.count >= unrecordedSteps }

    func fail(_ part: String, throwing error: any Error) {
      fail("\(part) throws \(ScheduleRun.text(of: error)).")
    }

    func fail(_ issue: Issue) {
      let kind = issue.error.map { "Caught error: \(ScheduleRun.text(of: $0))" } ?? "\(issue.kind)"
      fail("\(kind)\(issue.comments.map { ": \($0)" }.joined())")
    }

    /// The description of an error, unless it might show a secret.
    private static func text(of error: any Error) -> String {
      ValueTree(of: error, within: TreeBudget(bytes: 10_000)).text
    }
  }
#endif
