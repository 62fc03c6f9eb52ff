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

    /// What the threads have in the place of `Dispatcher.shared`.
    private let dispatcher: Dispatcher
    private let isDone = DispatchSemaphore(value: 0)
    private let memory = SharedMemory()

    @exclusivity(unchecked) private(set) var threads: [ScenarioThread] = []
    @exclusivity(unchecked) private(set) var failure: String?

    /// The numbers of the threads, step by step.
    @exclusivity(unchecked) private(set) var trace: [Int] = []

    /// The steps themselves, if a schedule is replayed.
    @exclusivity(unchecked) private(set) var details:
      [(thread: ScenarioThread, step: ScheduledStep?, calls: CallStack)] = []

    @exclusivity(unchecked) private var isAnyoneYielding = false

    /// How many threads were made by others.
    @exclusivity(unchecked) private var births: UInt64 = 0

    /// How many tasks of the scenario have not ended.
    @exclusivity(unchecked) var openTasks = 0

    /// How many of the exploration's decisions were followed, and how many preemptions there were.
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var preemptions = 0

    /// Whether all that is to come has been gone through before.
    @exclusivity(unchecked) private var isKnown = false

    /// The sum of the threads' histories.
    @exclusivity(unchecked) private var histories: UInt64 = 0

    private static let main = DispatchQueue.main

    /// Nothing that ends takes as many steps.
    private static let mostSteps = 20_000

    init(in exploration: Exploration, with dispatcher: Dispatcher, by schedule: Schedule?) {
      self.exploration = exploration
      self.dispatcher = dispatcher
      self.schedule = schedule
    }

    func fail(_ sentence: String) {
      if failure == nil { failure = sentence }
    }

    func run(_ scenario: Scenario, isChecked: Bool) {
      for thread in scenario.threads {
        let number = threads.count + 1
        add(
          thread.name ?? "thread \(number)",
          isMain: thread.isMain,
          history: UInt64(number).mixed
        ) { [dispatcher] in
          try withDispatcher(dispatcher) { try self.start(thread.body) }
        }
      }
      scenario.threads = []
      guard let first = choose(after: nil) else { return fail("the scenario has no threads.") }
      first.resume()
      isDone.wait()
      if isChecked, failure == nil { scenario.checks.forEach(check) }
    }

    private func check(_ body: () throws -> Void) {
      // Nothing is known to be wrong, but so it is seen whether an expectation fails.
      withKnownIssue(isIntermittent: true) {
        do { try body() } catch { self.fail("the check throws \(error).") }
      } matching: { issue in
        self.fail("\(issue.kind)")
        return false
      }
    }
  }

  // MARK: - Threads

  extension ScheduleRun {
    private func start(_ body: Scenario.Body) throws {
      switch body {
      case .thread(let body):
        try body()
      case .task(let body):
        openTasks += 1
        // Nobody cancels it: it ends, or the schedule fails for it does not.
        Task {
          do { try await body() } catch { fail("a task throws \(error).") }
          openTasks -= 1
        }
      }
    }

    /// Has a thread of its own run what another thread sends to a queue, or enqueues.
    func add(
      byThread sender: ScenarioThread,
      named name: String,
      to queue: DispatchQueue? = nil,
      _ body: @escaping @Sendable () -> Void
    ) {
      // The main queue has a new object each time that it is asked for.
      let isMain = queue?.label == ScheduleRun.main.label
      let queue = isMain ? ScheduleRun.main : queue
      if let queue {
        let address = UInt(bitPattern: Unmanaged.passUnretained(queue).toOpaque())
        _ = reach(.write(address), on: sender)
      }
      sender.children &+= 1
      births &+= 1
      add(
        name,
        isMain: isMain,
        history: (sender.history &+ 7 &+ sender.children).mixed,
        birth: births,
        queue: queue,
        body: body
      )
    }

    private func add(
      _ name: String,
      isMain: Bool,
      history: UInt64,
      birth: UInt64 = 0,
      queue: DispatchQueue? = nil,
      body: @escaping @Sendable () throws -> Void
    ) {
      // Whoever has ended makes room, so that a task may have any number of jobs.
      let place = birth == 0 ? nil : threads.firstIndex { $0.hasEnded && $0.birth > 0 }
      let number = (place ?? threads.count) + 1
      guard number <= 64 else { return fail("there are more than 64 threads at a time.") }
      let thread = ScenarioThread(
        number,
        of: self,
        on: exploration.workers.worker(for: number),
        named: name,
        isMain: isMain,
        history: history,
        birth: birth,
        queue: queue,
        body: body
      )
      if let place { threads[place] = thread } else { threads.append(thread) }
      histories &+= history
    }

    /// Lets others go on before a step of a thread, and does it.
    func reach(_ step: ScheduledStep, on thread: ScenarioThread) -> Bool {
      if case .unlocked(let lock) = step { memory.unlock(lock, by: thread) }
      thread.step = step
      if step == .yield {
        yield(thread)
        if thread.yieldsTo == 0 { return false }
      }
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

    @discardableResult
    private func perform(_ step: ScheduledStep?, on thread: ScenarioThread) -> Bool {
      trace.append(thread.number)
      if schedule != nil { details.append((thread, step, CallStack())) }
      if isAnyoneYielding { noteStep(of: thread) }
      histories &-= thread.history
      let isDone = memory.perform(step, by: thread)
      histories &+= thread.history
      if exploration.isReduced { note(thread) }
      return isDone
    }

    /// Puts a thread behind all that can go on.
    private func yield(_ thread: ScenarioThread) {
      isAnyoneYielding = true
      for other in threads where other !== thread && canGoOn(other) { thread.yieldsTo |= other.bit }
    }

    private func noteStep(of thread: ScenarioThread) {
      isAnyoneYielding = false
      for other in threads {
        other.yieldsTo &= ~thread.bit
        if other.yieldsTo != 0 { isAnyoneYielding = true }
      }
    }

    private func finish() {
      let waiting = threads.filter { !$0.hasEnded }
      if waiting.isEmpty, openTasks > 0 {
        fail("a task waits for something that never comes.")
      }
      if !waiting.isEmpty {
        let reasons = waiting.map { $0.name + memory.reasonToWait(of: $0) }
        fail(
          "the threads wait for each other, and are left behind: \(reasons.joined(separator: ", "))."
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
        fail("it doesn't end: it was left after \(trace.count) steps.")
        return nil
      }
      // Most steps are such that there is nothing to decide.
      if let thread, schedule == nil, !isToDecide, thread.yieldsTo == 0, canGoOn(thread) {
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

    private func canGoOn(_ thread: ScenarioThread) -> Bool {
      guard !thread.hasEnded else { return false }
      guard let step = thread.step else { return isNextOnItsQueue(thread) }
      return memory.canPerform(step)
    }

    /// Blocks on a queue run in the order in which they were sent there.
    private func isNextOnItsQueue(_ thread: ScenarioThread) -> Bool {
      guard let queue = thread.queue else { return true }
      return !threads.contains { $0.queue === queue && !$0.hasEnded && $0.birth < thread.birth }
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
      for thread in threads where others & thread.bit != 0 {
        // Jobs that overtake each other count too, or else their orders would be without number.
        let isCounted = isPreemption || (usual.isJob && thread.isJob)
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
