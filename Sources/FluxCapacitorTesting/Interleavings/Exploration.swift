#if DEBUG
  import FluxCapacitor

  /// Goes through the schedules of a scenario, depth first.
  ///
  /// Each schedule runs from its beginning. It follows the decisions of the previous schedule, up to the last
  /// decision with a choice left, and takes that choice. From then on, each thread continues as long as it
  /// can.
  package final class Exploration {
    /// A step at which there was more than one choice.
    struct Decision {
      /// The number of steps before this one.
      let step: Int

      /// The threads that may continue. The first one continues by default.
      let choices: [Choice]

      var index = 0

      var choice: Choice { choices[index] }
    }

    struct Choice {
      /// The number of the thread.
      let thread: Int

      /// The number of preemptions in the schedule up to this choice, including this choice.
      let preemptions: Int

      /// The outcome of the thread's next step; see `ScheduleRun.outcome(of:)`.
      let outcome: UInt64
    }

    let preemptions: Int

    /// Whether to skip a schedule that is equivalent to an earlier one: each of its steps finds the same
    /// state. This requires a point before each access to shared state, in the scenario too.
    let isReduced: Bool

    package private(set) var schedules = 0

    /// The decisions of the current schedule.
    var decisions: [Decision] = []

    /// The outcomes of all steps so far, each with the smallest number of preemptions that has led to it.
    var outcomes: [UInt64: Int] = [:]

    let workers = Workers()

    package init(preemptions: Int, isReduced: Bool) {
      self.preemptions = preemptions
      self.isReduced = isReduced
    }

    /// Runs every schedule, or only the given one.
    ///
    /// - Returns: A description of the first failure, or nil if no schedule fails.
    package func run(
      replaying schedule: String? = nil,
      _ scenario: (Scenario) throws -> Void
    ) -> String? {
      defer { workers.end() }
      // The first access creates this dispatcher, which takes steps of its own.
      _ = Dispatcher.processWide
      guard TaskHooks.isSet else {
        return "Tasks would leave the scenario, because this runtime has no hooks."
      }
      if let schedule {
        guard let schedule = Schedule(schedule) else {
          return "\"\(schedule)\" is not a schedule: a schedule looks like \"1×12 2×7 1×3\"."
        }
        let run = runOnce(scenario, by: schedule)
        return run.failure.map { Report(run: run).text($0, number: schedules) }
      }
      repeat {
        let run = runOnce(scenario)
        if let failure = run.failure {
          // The second run records where in the source each step happens.
          let again = runOnce(scenario, by: Schedule(of: run.trace), isChecked: false)
          return Report(run: again).text(failure, number: schedules)
        }
      } while advance()
      return nil
    }

    /// Runs the scenario once.
    private func runOnce(
      _ scenario: (Scenario) throws -> Void,
      by schedule: Schedule? = nil,
      isChecked: Bool = true
    ) -> ScheduleRun {
      if isChecked { schedules += 1 }
      let dispatcher = Dispatcher()
      let run = ScheduleRun(in: self, with: dispatcher, by: schedule)
      withDispatcher(dispatcher) {
        let made = Scenario()
        do {
          try scenario(made)
          run.run(made, isChecked: isChecked)
        } catch {
          run.fail("the setup of the scenario throws \(error).")
        }
      }
      return run
    }

    /// Moves on to the next schedule, and returns whether there is one.
    private func advance() -> Bool {
      while var decision = decisions.popLast() {
        while decision.index + 1 < decision.choices.count {
          decision.index += 1
          if isKnown(decision.choice.outcome, by: decision.choice.preemptions) { continue }
          decisions.append(decision)
          return true
        }
      }
      return false
    }

    /// Whether an earlier step had this outcome, with at most this many preemptions. The schedules that
    /// continue from the outcome need no second run then.
    func isKnown(_ outcome: UInt64, by preemptions: Int) -> Bool {
      guard isReduced, let least = outcomes[outcome] else { return false }
      return least <= preemptions
    }
  }
#endif
