#if DEBUG
  import Dispatch
  import FluxCapacitor

  /// A thread of a scenario in one run of the scenario.
  final class ScenarioThread: ScheduledThread, @unchecked Sendable {
    /// What a thread does in its scenario.
    struct Role {
      var name: String

      /// The dispatch queue of the thread's block, or nil if the thread doesn't run a block of a queue.
      var queue: DispatchQueue?

      /// The position of the thread in the sequence of threads that other threads have created. The position
      /// is zero for a thread that the scenario has added.
      var birth: UInt64 = 0

      /// Whether the thread runs a job of a task.
      var isJob = false

      /// Whether the thread begins after all other threads have ended.
      var isLast = false
    }

    let role: Role
    let number: Int

    /// The number of threads that this thread has created.
    @exclusivity(unchecked) var children: UInt64 = 0

    /// The thread's next step, or nil before the thread has begun.
    @exclusivity(unchecked) var step: ScheduledStep?

    /// The call stack of the thread's next step, in a run that records its steps.
    @exclusivity(unchecked) var calls: CallStack?

    /// The description of the thread's next step, if the step performs no operation of the library.
    @exclusivity(unchecked) var text: String?

    @exclusivity(unchecked) var isUninterrupted = false

    /// Whether the thread is describing a value for the report.
    @exclusivity(unchecked) private(set) var isDescribing = false

    /// A bit set of the threads that have to take a step before this thread continues.
    @exclusivity(unchecked) var yieldsTo: UInt64 = 0
    @exclusivity(unchecked) var hasEnded = false

    /// In a random schedule with priorities, the thread with the highest priority continues.
    @exclusivity(unchecked) var priority: UInt64

    /// A hash of the thread's steps, and of all steps that the thread's steps depend on.
    @exclusivity(unchecked) var history: UInt64

    unowned let run: ScheduleRun
    private var body: (@Sendable () throws -> Void)?
    private let worker: Worker

    /// The address of the thread's job. See `runJob(_:)`.
    @exclusivity(unchecked) var job: UInt = 0
    @exclusivity(unchecked) var hasHopped = false

    var name: String { role.name }

    /// Whether the thread plays the role of the main queue.
    var isMain: Bool { role.queue === ScheduleRun.main }

    var bit: UInt64 { 1 &<< UInt64(number &- 1) }

    init(
      _ number: Int,
      of run: ScheduleRun,
      as role: Role,
      history: UInt64,
      body: @escaping @Sendable () throws -> Void
    ) {
      self.number = number
      self.run = run
      self.role = role
      self.history = history
      self.body = body
      worker = run.exploration.workers.worker(for: number)
      priority = run.exploration.random?.nextPriority() ?? 0
    }

    func resume() {
      if step == nil { worker.thread = self }
      worker.baton.signal()
    }

    func wait() { worker.baton.wait() }

    func waitForEver() -> Never {
      while true { wait() }
    }

    /// Runs the thread's body. The thread's worker calls this method.
    func main() {
      scheduledThread = self
      lastScheduledLockID = run.lockIDs.last
      run.begin(self)
      if role.isJob { runBody() } else { run.context.perform { self.runBody() } }
      scheduledThread = nil
      lastScheduledLockID = nil
      yieldsTo = 0
      run.end(self)
    }

    private func runBody() {
      do { try body?() } catch { run.fail(name, throwing: error) }
      body = nil
    }

    // MARK: Calls from the library

    func reach(_ step: ScheduledStep) -> Bool {
      guard isDescribing else { return run.reach(step, on: self) }
      // The description of a value adds no step to the schedule. If the description needs a lock that
      // another thread holds, the recording ends here.
      if case .tryLock(let lock) = step { return run.memory.canPerform(.lock(lock)) }
      guard run.memory.canPerform(step) else {
        run.finish()
        waitForEver()
      }
      return true
    }

    var missedChanges: AnyObject? {
      get { run.missedChanges }
      set { run.missedChanges = newValue }
    }

    var isRecorded: Bool { run.isRecording && !isDescribing }

    func recordOperation(_ verb: String, _ object: Any?, _ value: Any?) {
      isDescribing = true
      defer { isDescribing = false }
      run.recording?.append(.operation(Operation(verb, object, value)), by: self, CallStack())
    }

    func send(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue) {
      run.add(byThread: self, named: "queue \"\(queue.label)\"", isJob: false, to: queue, block)
    }

    func recordWrite(_ channel: AnyObject, _ value: Any, isCommitted: Bool) {
      run.exploration.historian?.noteWrite(
        of: value,
        to: ObjectIdentifier(channel),
        isCommitted: isCommitted,
        by: number
      )
    }

    func recordCommit(_ channel: AnyObject) {
      run.exploration.historian?.noteCommit(of: ObjectIdentifier(channel), by: number)
    }

    func willTrap(_ sentence: String) {
      if run.exploration.historian != nil {
        run.fail("\(name) traps: \(sentence)")
        run.finish()
        waitForEver()
      }
      let schedule = Schedule(of: run.trace)
      print("everyInterleaving: \(name) ends the process in the schedule \"\(schedule)\".")
    }
  }
#endif
