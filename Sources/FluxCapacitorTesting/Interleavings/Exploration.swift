#if DEBUG
  import FluxCapacitor
  import Foundation

  /// Runs the schedules of a scenario in depth-first order, or random schedules.
  ///
  /// In depth-first order, each schedule runs from the beginning of the scenario. A schedule repeats the previous schedule's
  /// decisions up to the last decision that has an untried choice, and makes this choice. After the last
  /// decision, each thread continues until the thread blocks or ends.
  ///
  /// Most races need one preemption. So a gradual exploration first runs the schedules with up to one. If half of its
  /// limit isn't enough for all schedules, the other half are random.
  package final class Exploration {
    /// A step at which several threads could continue.
    struct Decision {
      /// The number of steps before this step.
      let step: Int

      /// The threads that could continue at this step. The first thread is the default.
      let choices: [Choice]

      var index = 0

      var choice: Choice { choices[index] }
    }

    struct Choice {
      /// The number of the thread.
      let thread: Int

      /// The number of the schedule's preemptions up to and including this choice.
      let preemptions: Int

      /// The outcome of the thread's next step. See `ScheduleRun.outcome(of:)`.
      let outcome: UInt64
    }

    /// The largest number of preemptions in the schedules that the exploration runs now.
    private(set) var preemptions: Int

    private let mostPreemptions: Int
    private let isGradual: Bool

    /// The exploration tries one in this many of the choices that use the last permitted preemption. Their
    /// outcomes decide, so each run tries the same choices, which are spread over all parts of the schedules.
    private let sparsity: UInt64

    /// The maximum number of schedules, if there is a limit.
    private let limit: Int?

    /// The name of the exploration in the lines that show its progress, or nil to show no progress.
    private let name: String?

    /// Whether the exploration skips schedules whose steps find the same state as an earlier schedule's
    /// steps. Skipping schedules requires an interleaving point before each access to shared state,
    /// including the accesses in the scenario.
    let isReduced: Bool

    package private(set) var schedules = 0

    /// The decisions of the current schedule.
    var decisions: [Decision] = []

    /// The chooser of random schedules, or nil if the exploration is exhaustive.
    private(set) var random: RandomSchedules?

    /// What to do with the history of writes and commits, and with traps, while the generator of random scenarios uses
    /// this exploration.
    package var historian: (any Historian)?

    /// The outcomes of all steps so far, with the smallest number of preemptions before each outcome.
    var outcomes: [UInt64: Int] = [:]

    let workers = Workers()

    private static let schedulesBetweenLines = 10_000

    package init(
      preemptions: Int,
      isGradual: Bool = false,
      sparsity: Int = 1,
      limit: Int? = nil,
      isReduced: Bool,
      name: String? = nil
    ) {
      mostPreemptions = preemptions
      self.preemptions = isGradual ? min(1, preemptions) : preemptions
      self.isGradual = isGradual
      self.sparsity = UInt64(sparsity)
      self.limit = limit
      self.isReduced = isReduced
      self.name = name
    }

    /// Creates an exploration of random schedules.
    package convenience init(random schedules: Int, seed: UInt64, name: String? = nil) {
      self.init(preemptions: 0, isReduced: false, name: name)
      random = RandomSchedules(count: schedules, seed: seed)
    }

    /// Runs every schedule of a scenario, or only the given schedule.
    ///
    /// - Returns: A description of the first failure, or nil if no schedule fails.
    package func run(
      replaying schedule: String? = nil,
      _ scenario: (Scenario) throws -> Void
    ) -> String? {
      defer { workers.end() }
      // Creating the process-wide dispatcher inside a schedule would add steps to the schedule.
      _ = Dispatcher.processWide
      guard TaskHooks.isSet else {
        return "Tasks would leave the scenario, because this runtime has no hooks."
      }
      if let schedule {
        guard let schedule = Schedule(schedule) else {
          return "\"\(schedule)\" is not a schedule: a schedule looks like \"1×12 2×7 1×3\"."
        }
        let run = runOnce(scenario, by: schedule)
        if let failure = run.failure { return Report(run: run).text(failure, number: schedules) }
        return run.trace.count >= schedule.steps
          ? nil : "The scenario has changed: it ends before the schedule \"\(schedule)\" does."
      }
      repeat {
        let run = runOnce(scenario)
        if let failure = run.failure {
          // The replay records the source location of each step for the report.
          let again = runOnce(scenario, by: Schedule(of: run.trace), isChecked: false)
          // The replay also knows the names of tasks. While it describes values, it can fail in another way.
          let named = run.halt != nil && run.halt == again.halt ? again.failure : nil
          return Report(run: again).text(named ?? failure, number: schedules)
        }
        if isGradual, random == nil, preemptions > 1, run.preemptions <= 1 {
          // The schedule has run before, and counts once.
          schedules -= 1
        } else {
          showProgress()
        }
        if !advance() { return nil }
        if isGradual, random == nil, let limit, schedules >= limit / 2 {
          (random, decisions) = (RandomSchedules(count: limit, seed: 1), [])
        }
      } while limit.map { schedules < $0 } ?? true
      return nil
    }

    private func showProgress() {
      guard let name, schedules.isMultiple(of: Exploration.schedulesBetweenLines) else { return }
      let line = "\(name): \(schedules.withCommas) schedules so far.\n"
      FileHandle.standardError.write(Data(line.utf8))
    }

    /// Runs the scenario once.
    private func runOnce(
      _ scenario: (Scenario) throws -> Void,
      by schedule: Schedule? = nil,
      isChecked: Bool = true
    ) -> ScheduleRun {
      if isChecked { schedules += 1 }
      if schedule == nil { random?.beginSchedule() }
      let lockIDs = LockIDs()
      Dispatcher.prepareForSchedules()
      lastScheduledLockID = lockIDs.last
      defer { lastScheduledLockID = nil }
      let dispatcher = Dispatcher()
      let run = ScheduleRun(in: self, with: dispatcher, lockIDs, by: schedule)
      ScheduleIssues.collect(for: run) {
        run.context.begin()
        withDispatcher(dispatcher) {
          let made = Scenario()
          do {
            try scenario(made)
            run.run(made, isChecked: isChecked)
          } catch {
            run.fail("the setup of the scenario", throwing: error)
          }
        }
        run.context.end()
      }
      return run
    }

    /// Prepares the decisions of the next schedule, and returns whether there is a next schedule.
    private func advance() -> Bool {
      if let random { return schedules < random.count }
      while var decision = decisions.popLast() {
        while decision.index + 1 < decision.choices.count {
          decision.index += 1
          if isKnown(decision.choice.outcome, by: decision.choice.preemptions) { continue }
          decisions.append(decision)
          return true
        }
      }
      guard preemptions < mostPreemptions else { return false }
      (preemptions, outcomes) = (mostPreemptions, [:])
      return true
    }

    /// Whether the exploration tries a choice that is a preemption.
    func includes(_ choice: Choice) -> Bool {
      choice.preemptions < preemptions || choice.outcome % sparsity == 0
    }

    /// Whether an earlier step had this outcome with at most this number of preemptions. If an outcome is
    /// known, the exploration has already covered all schedules that continue from the outcome.
    func isKnown(_ outcome: UInt64, by preemptions: Int) -> Bool {
      guard isReduced, let least = outcomes[outcome] else { return false }
      return least <= preemptions
    }
  }

  /// The recipient of the order in which a scenario's threads write and commit values.
  package protocol Historian: AnyObject {
    func noteWrite(of value: Any, to channel: ObjectIdentifier, isCommitted: Bool, by thread: Int)
    func noteCommit(of channel: ObjectIdentifier, by thread: Int)
  }

  extension Int {
    /// The number with commas between groups of three digits, in every locale.
    var withCommas: String {
      "\(self)".replacing(/(\d)(?=(\d{3})+$)/) { "\($0.1)," }
    }
  }
#endif
