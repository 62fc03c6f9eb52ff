#if DEBUG
  extension ScheduleRun {
    /// The thread that goes on, or nil if none can.
    ///
    /// - Parameter thread: The one that has come to a step, and goes on if nothing is against it.
    func choose(after thread: ScenarioThread?) -> ScenarioThread? {
      if trace.count > ScheduleRun.mostSteps {
        fail("it doesn't end: it was left after \(trace.count) steps.")
        return nil
      }
      // Most steps are such that there is nothing to decide.
      if let thread, schedule == nil, thread.isUninterrupted || !isToDecide, thread.yieldsTo == 0,
        canGoOn(thread)
      {
        return thread
      }
      let able = threadsThatMayGoOn
      guard able != 0 else { return nil }
      let first = oldest(of: able)
      if let schedule { return forced(by: schedule, among: able) ?? first }
      let isPreemption = thread.map { able & $0.bit != 0 } ?? false
      let usual = isPreemption ? thread ?? first : first
      if position < exploration.decisions.count {
        return follow(among: able, usually: usual)
      }
      if able & ~usual.bit != 0, !isKnown {
        decide(among: able & ~usual.bit, usually: usual, isPreemption: isPreemption)
      }
      return usual
    }

    /// The jobs of tasks run in the order in which they come, if nothing else is decided.
    private func oldest(of able: UInt64) -> ScenarioThread {
      var oldest = threads[able.trailingZeroBitCount]
      for thread in threads where able & thread.bit != 0 && thread.birth < oldest.birth {
        oldest = thread
      }
      return oldest
    }

    /// Whether this is a step at which a thread that could go on may be preempted.
    private var isToDecide: Bool {
      position < exploration.decisions.count
        ? exploration.decisions[position].step == trace.count
        : !isKnown && preemptions < exploration.preemptions
    }

    private var threadsThatMayGoOn: UInt64 {
      var able: UInt64 = 0
      for index in 0..<threads.count where canGoOn(threads[index]) { able |= threads[index].bit }
      var mayGoOn = able
      for index in 0..<threads.count where threads[index].yieldsTo & able != 0 {
        mayGoOn &= ~threads[index].bit
      }
      return mayGoOn
    }

    func canGoOn(_ thread: ScenarioThread) -> Bool {
      guard !thread.hasEnded else { return false }
      guard let step = thread.step else { return isNextOnItsQueue(thread) }
      return memory.canPerform(step)
    }

    /// Blocks on a queue run one at a time, in the order in which they were sent there.
    private func isNextOnItsQueue(_ thread: ScenarioThread) -> Bool {
      guard let queue = thread.queue else { return true }
      return !threads.contains { other in
        other.queue === queue && !other.hasEnded
          && (other.step != nil || (other.birth > 0 && other.birth < thread.birth))
      }
    }

    private func forced(by schedule: Schedule, among able: UInt64) -> ScenarioThread? {
      guard let number = schedule.thread(at: trace.count) else { return nil }
      if number <= threads.count, able & threads[number - 1].bit != 0 { return threads[number - 1] }
      fail(
        """
        step \(trace.count + 1) of the schedule can't be made: thread \(number) can't go on. Either the \
        scenario has changed, or it does not do the same each time.
        """
      )
      return nil
    }

    /// Goes on as the exploration has decided, if it has for this step.
    private func follow(among able: UInt64, usually usual: ScenarioThread) -> ScenarioThread {
      let decision = exploration.decisions[position]
      guard decision.step == trace.count else { return usual }
      position += 1
      let number = decision.choice.thread
      guard decision.choices[0].thread == usual.number, number <= threads.count,
        able & threads[number - 1].bit != 0
      else {
        fail(
          """
          the scenario does not do the same each time: step \(trace.count + 1) can't be made as before. \
          Leave out what is random, clocks, and what an earlier schedule has left behind.
          """
        )
        return usual
      }
      preemptions = decision.choice.preemptions
      return threads[number - 1]
    }

    /// Notes what else could be done at this step.
    private func decide(
      among others: UInt64,
      usually usual: ScenarioThread,
      isPreemption: Bool
    ) {
      var choices = [choice(of: usual, preemptions: preemptions)]
      let jobs = threads.lazy.filter { $0.isJob && (others | usual.bit) & $0.bit != 0 }
      let firstJob = jobs.map(\.birth).min() ?? 0
      for thread in threads where others & thread.bit != 0 {
        // A job that overtakes another counts too, or else their orders would be without number.
        let isCounted = isPreemption || (thread.isJob && thread.birth > firstJob)
        let choice = choice(of: thread, preemptions: preemptions + (isCounted ? 1 : 0))
        guard choice.preemptions <= exploration.preemptions,
          !exploration.isKnown(choice.outcome, by: choice.preemptions)
        else { continue }
        choices.append(choice)
      }
      guard choices.count > 1 else { return }
      exploration.decisions.append(Exploration.Decision(step: trace.count, choices: choices))
      position += 1
    }

    private func choice(of thread: ScenarioThread, preemptions: Int) -> Exploration.Choice {
      Exploration.Choice(
        thread: thread.number,
        preemptions: preemptions,
        outcome: exploration.isReduced ? outcome(of: thread) : 0
      )
    }
  }

  // MARK: - Reduction

  // A thread's history is a hash of its steps, each with the histories of the steps by which what it finds
  // came about. So two schedules that differ in the order of such steps alone as have nothing to do with
  // each other make the same histories: it is enough to go on from one of them.

  extension ScheduleRun {
    /// What is come to if a thread makes its next step.
    private func outcome(of thread: ScenarioThread) -> UInt64 {
      let history = memory.history(of: thread, after: thread.step)
      return outcome(histories &- thread.history &+ history, of: history)
    }

    /// Also who has come to it, for that one goes on without a preemption.
    private func outcome(_ histories: UInt64, of history: UInt64) -> UInt64 {
      (histories ^ history.mixed).mixed
    }

    /// Notes what a thread has come to, unless it is known.
    func note(_ thread: ScenarioThread) {
      guard schedule == nil, !isKnown, position == exploration.decisions.count else { return }
      let outcome = outcome(histories, of: thread.history)
      if exploration.isKnown(outcome, by: preemptions) {
        isKnown = true
      } else {
        exploration.outcomes[outcome] = preemptions
      }
    }
  }
#endif
