#if DEBUG
  import FluxCapacitor

  /// Goes through the schedules of a scenario, depth first.
  ///
  /// A schedule is run from its beginning each time. It follows the decisions of the one before up to
  /// the last that has another choice left, takes that, and then lets each thread go on as long as it can.
  package final class Exploration {
    /// A point at which there was more than one choice.
    struct Decision {
      /// How many steps there were before.
      let step: Int

      /// Who may go on, the one first that goes on by itself.
      let choices: [Choice]

      var index = 0

      var choice: Choice { choices[index] }
    }

    struct Choice {
      /// The number of the thread.
      let thread: Int

      /// How many preemptions there are then, this one included.
      let preemptions: Int

      /// What the thread's next step comes to; see `ScheduleRun.outcome(of:)`.
      let outcome: UInt64
    }

    let preemptions: Int

    /// Whether to leave out what comes to the same as an earlier schedule: one in which each step has found
    /// what it finds now. That needs a point before all that is shared, in the scenario too.
    let isReduced: Bool

    package private(set) var schedules = 0

    /// The decisions of the present schedule.
    var decisions: [Decision] = []

    /// What was come to by a step, and with how many preemptions at least.
    var outcomes: [UInt64: Int] = [:]

    let workers = Workers()

    package init(preemptions: Int, isReduced: Bool) {
      self.preemptions = preemptions
      self.isReduced = isReduced
    }

    /// Runs every schedule, or one.
    ///
    /// - Returns: What is wrong with the first that fails.
    package func run(
      replaying schedule: String? = nil,
      _ scenario: (Scenario) throws -> Void
    ) -> String? {
      defer { workers.end() }
      // It is made when it is first asked for, with steps of its own.
      _ = Dispatcher.processWide
      guard TaskHooks.isSet else {
        return "The concurrency runtime has no hooks here, without which tasks would escape."
      }
      if let schedule {
        guard let schedule = Schedule(schedule) else {
          return "\"\(schedule)\" is no schedule: it looks like \"1×12 2×7 1×3\"."
        }
        let run = runOnce(scenario, by: schedule)
        return run.failure.map { Report(run: run).text($0, number: schedules) }
      }
      repeat {
        let run = runOnce(scenario)
        if let failure = run.failure {
          // Once more, to see where each step is made.
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
          run.fail("the scenario throws \(error) as it is made.")
        }
      }
      return run
    }

    /// Goes to the next schedule, if there is one.
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

    /// Whether what follows from an outcome has been gone through.
    func isKnown(_ outcome: UInt64, by preemptions: Int) -> Bool {
      guard isReduced, let least = outcomes[outcome] else { return false }
      return least <= preemptions
    }
  }
#endif
