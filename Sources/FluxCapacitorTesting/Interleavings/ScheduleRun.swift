#if DEBUG
  import Dispatch
  import FluxCapacitor
  import Testing

  /// One run of a scenario by one schedule.
  ///
  /// Nothing guards its state: at any time, either one of the threads runs, or else the exploration does
  /// and all of them wait. They hand over to each other by semaphores.
  final class ScheduleRun: @unchecked Sendable {
    private unowned let exploration: Exploration
    private let schedule: Schedule?
    private let isDone = DispatchSemaphore(value: 0)
    private let memory = SharedMemory()

    private(set) var threads: [ScenarioThread] = []
    private(set) var failure: String?

    /// The numbers of the threads, step by step.
    private(set) var trace: [Int] = []

    /// The steps themselves, if a schedule is replayed.
    private(set) var details: [(thread: ScenarioThread, step: ScheduledStep?, calls: CallStack)] = []

    /// How many of the exploration's decisions were followed, and how many preemptions there were.
    private var position = 0
    private var preemptions = 0

    /// Whether all that is to come has been gone through before.
    private var isKnown = false

    /// The sum of the threads' histories.
    private var histories: UInt64 = 0

    /// Nothing that ends takes as many steps.
    private static let mostSteps = 20_000

    init(in exploration: Exploration, by schedule: Schedule?) {
      self.exploration = exploration
      self.schedule = schedule
    }

    func fail(_ sentence: String) {
      if failure == nil { failure = sentence }
    }

    func run(_ scenario: Scenario, isChecked: Bool) {
      for (index, thread) in scenario.threads.enumerated() {
        add(
          ScenarioThread(
            in: self,
            named: thread.name ?? "thread \(index + 1)",
            isMain: thread.isMain,
            history: UInt64(index + 1).mixed,
            body: thread.body
          )
        )
      }
      scenario.threads = []
      guard let first = choose(after: nil) else { return fail("It has no threads.") }
      first.resume()
      isDone.wait()
      if isChecked, failure == nil { scenario.checks.forEach(check) }
    }

    private func check(_ body: () throws -> Void) {
      // Nothing is known to be wrong, but so it is seen whether an expectation fails.
      withKnownIssue(isIntermittent: true) {
        do { try body() } catch { self.fail("The check throws \(error).") }
      } matching: { issue in
        self.fail("\(issue)")
        return false
      }
    }
  }

  // MARK: - Threads

  extension ScheduleRun {
    func add(_ thread: ScenarioThread) {
      thread.number = threads.count + 1
      threads.append(thread)
      histories &+= thread.history
      exploration.workers.assign(thread)
    }

    /// Has a thread of its own run a block that a thread sends to a queue.
    func send(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue, by sender: ScenarioThread) {
      add(
        ScenarioThread(
          in: self,
          named: "queue \"\(queue.label)\"",
          isMain: queue === DispatchQueue.main,
          history: (sender.history &+ UInt64(threads.count)).mixed,
          queue: queue,
          body: block
        )
      )
    }

    /// Lets others go on before a step of a thread, and does it.
    func reach(_ step: ScheduledStep, on thread: ScenarioThread) -> Bool {
      if case .unlocked(let lock) = step { memory.unlock(lock, by: thread) }
      thread.step = step
      if step == .yield { thread.yieldsTo = threads.filter { $0 !== thread && canGoOn($0) } }
      guard let next = choose(after: thread) else {
        finish()
        thread.waitForEver()
      }
      if next !== thread {
        next.resume()
        thread.wait()
      }
      return perform(step, on: thread)
    }

    func begin(_ thread: ScenarioThread) {
      perform(nil, on: thread)
    }

    func end(_ thread: ScenarioThread) {
      thread.hasEnded = true
      if let next = choose(after: nil) { next.resume() } else { finish() }
    }

    func forget(_ lock: UInt) { memory.forget(lock) }

    @discardableResult
    private func perform(_ step: ScheduledStep?, on thread: ScenarioThread) -> Bool {
      trace.append(thread.number)
      if schedule != nil { details.append((thread, step, CallStack())) }
      for other in threads where !other.yieldsTo.isEmpty {
        other.yieldsTo.removeAll { $0 === thread }
      }
      histories &-= thread.history
      let isDone = memory.perform(step, by: thread)
      histories &+= thread.history
      if exploration.isReduced { note(thread) }
      return isDone
    }

    private func finish() {
      let waiting = threads.filter { !$0.hasEnded }
      if !waiting.isEmpty {
        let reasons = waiting.map { $0.name + memory.reasonToWait(of: $0) }
        fail(
          "Its threads wait for each other, and are left behind: \(reasons.joined(separator: ", "))."
        )
        exploration.workers.abandon()
      }
      isDone.signal()
    }
  }

  // MARK: - Choices

  extension ScheduleRun {
    /// The thread that goes on, or nil if none can.
    ///
    /// - Parameter thread: The one that has come to a step, and goes on if nothing is against it.
    private func choose(after thread: ScenarioThread?) -> ScenarioThread? {
      if trace.count > ScheduleRun.mostSteps {
        fail("It doesn't end: it was left after \(trace.count) steps.")
        return nil
      }
      var able = threads.filter(canGoOn)
      if able.contains(where: { !$0.yieldsTo.isEmpty }) {
        // Who lets others go on comes behind each of those that can.
        able.removeAll { thread in thread.yieldsTo.contains(where: canGoOn) }
      }
      guard let first = able.first else { return nil }
      if let schedule { return forced(by: schedule, among: able) ?? first }
      let usual = able.first { $0 === thread } ?? first
      let isPreemption = usual === thread
      if position < exploration.decisions.count {
        return follow(among: able, usually: usual)
      }
      if able.count > 1, !isKnown {
        decide(among: able, usually: usual, isPreemption: isPreemption)
      }
      return usual
    }

    private func canGoOn(_ thread: ScenarioThread) -> Bool {
      guard !thread.hasEnded else { return false }
      guard let step = thread.step else { return isNextOnItsQueue(thread) }
      return memory.canPerform(step)
    }

    /// Blocks on a queue run in the order in which they were sent there.
    private func isNextOnItsQueue(_ thread: ScenarioThread) -> Bool {
      guard let queue = thread.queue else { return true }
      return threads.first { $0.queue === queue && !$0.hasEnded } === thread
    }

    private func forced(by schedule: Schedule, among able: [ScenarioThread]) -> ScenarioThread? {
      guard let number = schedule.thread(at: trace.count) else { return nil }
      if let thread = able.first(where: { $0.number == number }) { return thread }
      fail(
        """
        Step \(trace.count + 1) of the schedule can't be made: thread \(number) can't go on. Either the \
        scenario has changed, or it does not do the same each time.
        """
      )
      return nil
    }

    /// Goes on as the exploration has decided, if it has for this step.
    private func follow(among able: [ScenarioThread], usually usual: ScenarioThread) -> ScenarioThread {
      let decision = exploration.decisions[position]
      guard decision.step == trace.count else { return usual }
      position += 1
      let number = decision.choices[decision.index].thread
      guard decision.choices[0].thread == usual.number,
        let thread = able.first(where: { $0.number == number })
      else {
        fail(
          """
          The scenario does not do the same each time: step \(trace.count + 1) can't be made as before. \
          Leave out what is random, clocks, and what an earlier schedule has left behind.
          """
        )
        return usual
      }
      if decision.index > 0, decision.isPreemption { preemptions += 1 }
      return thread
    }

    /// Notes what else could be done at this step.
    private func decide(
      among able: [ScenarioThread],
      usually usual: ScenarioThread,
      isPreemption: Bool
    ) {
      let preemptions = preemptions + (isPreemption ? 1 : 0)
      guard preemptions <= exploration.preemptions else { return }
      var choices = [(thread: usual.number, outcome: UInt64(0))]
      for thread in able where thread !== usual {
        let outcome = exploration.isReduced ? outcome(of: thread) : 0
        if !exploration.isKnown(outcome, by: preemptions) { choices.append((thread.number, outcome)) }
      }
      guard choices.count > 1 else { return }
      exploration.decisions.append(
        Exploration.Decision(
          step: trace.count,
          choices: choices,
          preemptions: self.preemptions,
          isPreemption: isPreemption
        )
      )
      position += 1
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
    private func note(_ thread: ScenarioThread) {
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
