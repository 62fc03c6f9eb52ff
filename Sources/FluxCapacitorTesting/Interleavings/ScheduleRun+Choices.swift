#if DEBUG
  import FluxCapacitor

  extension ScheduleRun {
    /// Returns the thread that takes the next step, or nil if no thread can continue.
    ///
    /// - Parameter thread: The thread that has reached a step, and continues by default. Pass nil if a
    ///   thread begins or ends.
    func choose(after thread: ScenarioThread?) -> ScenarioThread? {
      if trace.count > ScheduleRun.mostSteps {
        failEndlessly()
        return nil
      }
      // The runtime holds a lock of its own during a cancellation handler, so the handler waits for nothing but a lock.
      if schedule == nil {
        if let thread, thread.isUninterrupted {
          if canGoOn(thread) { return thread }
          blockedHandlers.append(thread)
        }
        if let handler = blockedHandlers.last {
          let next = memory.unblocker(of: handler)
          if next === handler { blockedHandlers.removeLast() }
          return next
        }
      }
      // Most steps need no decision, so the running thread continues.
      if let thread, schedule == nil, !isToDecide(at: thread.step), thread.yieldsTo == 0,
        canGoOn(thread)
      {
        return thread
      }
      let able = threadsThatMayGoOn
      guard able != 0 else { return nil }
      let first = oldest(of: able)
      if let schedule { return forced(by: schedule, among: able) ?? first }
      let isPreemption = thread.map { able & $0.bit != 0 } ?? false
      if let random = exploration.random {
        return random.choose(among: able, running: isPreemption ? thread : nil, in: threads)
      }
      let usual = isPreemption ? thread ?? first : first
      if position < exploration.decisions.count {
        return follow(among: able, usually: usual)
      }
      if able & ~usual.bit != 0, !isKnown {
        decide(among: able & ~usual.bit, usually: usual, isPreemption: isPreemption)
      }
      return usual
    }

    private func failEndlessly() {
      let last = trace.suffix(10_000)
      var reason = "it was stopped after \(trace.count.withCommas) steps"
      // Only a replay knows the names of tasks.
      let names = Set(last.map { threads[$0 - 1].name })
      if names.count == 1, let name = names.first {
        reason = """
          \(name) spins: it took the last \(last.count.withCommas) steps or more alone. If its loop \
          waits for another thread, let it wait for a lock or await a task instead
          """
      }
      fail("it doesn't end: \(reason).", because: .endless)
    }

    /// Returns the oldest thread. By default, jobs run in the order in which they were enqueued.
    private func oldest(of able: UInt64) -> ScenarioThread {
      var oldest = threads[able.trailingZeroBitCount]
      for thread in threads where able & thread.bit != 0 && thread.role.birth < oldest.role.birth {
        oldest = thread
      }
      return oldest
    }

    /// Whether the exploration can preempt the running thread at this step.
    private func isToDecide(at step: ScheduledStep?) -> Bool {
      if let random = exploration.random { return random.areMeeting(at: step) }
      if let nextDecision { return nextDecision == trace.count }
      return !isKnown && preemptions < exploration.preemptions
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
      guard let step = thread.step else {
        if thread.role.isLast {
          return threads.allSatisfy { $0.hasEnded || $0.role.isLast && $0.number >= thread.number }
        }
        return isNextOnItsQueue(thread)
      }
      return memory.canPerform(step)
    }

    /// Whether a thread's block has reached the front of its dispatch queue. Blocks on a queue run one at a
    /// time, in the order in which they were sent.
    private func isNextOnItsQueue(_ thread: ScenarioThread) -> Bool {
      guard let queue = thread.role.queue else { return true }
      return !threads.contains { other in
        other.role.queue === queue && !other.hasEnded
          && (other.step != nil || (other.role.birth > 0 && other.role.birth < thread.role.birth))
      }
    }

    private func forced(by schedule: Schedule, among able: UInt64) -> ScenarioThread? {
      guard let number = schedule.thread(at: trace.count) else { return nil }
      if number <= threads.count, able & threads[number - 1].bit != 0 { return threads[number - 1] }
      fail(
        """
        step \(trace.count + 1) of the schedule can't be run: thread \(number) can't continue. Either the \
        scenario has changed, or it does not do the same thing each time.
        """
      )
      return nil
    }

    /// Returns the thread that the exploration has chosen for this step, or the default thread if the
    /// exploration has no decision for the step.
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
          the scenario does not do the same thing each time: step \(trace.count + 1) can't be repeated. \
          Don't use random values, clocks, or anything that an earlier schedule has left behind.
          """
        )
        return usual
      }
      preemptions = decision.choice.preemptions
      return threads[number - 1]
    }

    /// Adds a decision that lists all threads that could continue at this step.
    private func decide(
      among others: UInt64,
      usually usual: ScenarioThread,
      isPreemption: Bool
    ) {
      var choices = [choice(of: usual, preemptions: preemptions)]
      let jobs = threads.lazy.filter { $0.role.isJob && (others | usual.bit) & $0.bit != 0 }
      let firstJob = jobs.map(\.role.birth).min() ?? 0
      for thread in threads where others & thread.bit != 0 {
        // A job that overtakes an earlier job counts as a preemption. Otherwise, there would be too many
        // orders of jobs.
        let isCounted = isPreemption || (thread.role.isJob && thread.role.birth > firstJob)
        let choice = choice(of: thread, preemptions: preemptions + (isCounted ? 1 : 0))
        guard choice.preemptions <= exploration.preemptions,
          !isCounted || exploration.includes(choice),
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

  // A thread's history is a hash of the thread's steps. Each step adds the histories of the earlier steps
  // that produced the state that the step finds. If two schedules differ only in the order of independent
  // steps, their threads have the same histories. So the exploration continues from only one of two such
  // schedules.

  extension ScheduleRun {
    /// Returns the outcome of a thread's next step, which is a hash of all histories after the step.
    private func outcome(of thread: ScenarioThread) -> UInt64 {
      let history = memory.history(of: thread, after: thread.step)
      return outcome(histories &- thread.history &+ history, of: history)
    }

    /// Returns a hash of the sum of all histories and of one thread's history. The hash includes
    /// the thread that has taken the step, because only this thread continues without a preemption.
    private func outcome(_ histories: UInt64, of history: UInt64) -> UInt64 {
      (histories ^ history.mixed).mixed
    }

    /// Records the outcome of a thread's step, or notes that an earlier schedule had the same outcome.
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
