#if DEBUG
  import Dispatch
  import FluxCapacitor

  /// A thread of a scenario, in one run.
  final class ScenarioThread: ScheduledThread, @unchecked Sendable {
    let name: String

    /// Whether it stands for the main queue.
    let isMain: Bool

    /// The queue that it runs a block of, if it does.
    let queue: DispatchQueue?

    let number: Int

    /// Zero, or its place among those that others have made.
    let birth: UInt64

    /// How many it has made itself.
    @exclusivity(unchecked) var children: UInt64 = 0

    /// What it does next; nothing before its beginning.
    @exclusivity(unchecked) var step: ScheduledStep?

    @exclusivity(unchecked) var isUninterrupted = false

    /// Those who are to make a step before this one goes on, each a bit.
    @exclusivity(unchecked) var yieldsTo: UInt64 = 0
    @exclusivity(unchecked) var hasEnded = false

    /// A hash of its steps, and of all that they depend on.
    @exclusivity(unchecked) var history: UInt64

    unowned let run: ScheduleRun
    private var body: (@Sendable () throws -> Void)?
    private let worker: Worker

    /// Whether it runs a job of a task.
    let isJob: Bool

    /// The address of that job, and whether it is to run once more; see `runJob(_:)`.
    @exclusivity(unchecked) var job: UInt = 0
    @exclusivity(unchecked) var hasHopped = false

    var bit: UInt64 { 1 &<< UInt64(number &- 1) }

    init(
      _ number: Int,
      of run: ScheduleRun,
      on worker: Worker,
      named name: String,
      isMain: Bool,
      history: UInt64,
      birth: UInt64,
      isJob: Bool,
      queue: DispatchQueue?,
      body: @escaping @Sendable () throws -> Void
    ) {
      self.number = number
      self.run = run
      self.worker = worker
      self.name = name
      self.birth = birth
      self.isJob = isJob
      self.queue = queue
      self.history = history
      self.body = body
      self.isMain = isMain
    }

    func resume() {
      if step == nil { worker.thread = self }
      worker.baton.signal()
    }

    func wait() { worker.baton.wait() }

    func waitForEver() -> Never {
      while true { wait() }
    }

    /// Runs its body, on a worker.
    func main() {
      scheduledThread = self
      run.begin(self)
      do { try body?() } catch { run.fail("\(name) throws \(error).") }
      body = nil
      scheduledThread = nil
      yieldsTo = 0
      run.end(self)
    }

    // MARK: What the library calls

    func reach(_ step: ScheduledStep) -> Bool { run.reach(step, on: self) }

    func send(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue) {
      run.add(byThread: self, named: "queue \"\(queue.label)\"", isJob: false, to: queue, block)
    }

    func willTrap() {
      let schedule = Schedule(of: run.trace)
      print("everyInterleaving: \(name) ends the process in the schedule \"\(schedule)\".")
    }
  }
#endif
