#if DEBUG
  import Dispatch
  import FluxCapacitor
  import Foundation

  /// A thread of a scenario, in one run.
  final class ScenarioThread: ScheduledThread, @unchecked Sendable {
    let name: String

    /// Whether it stands for the main queue.
    let isMain: Bool

    /// The queue that it runs a block of, if it does.
    let queue: DispatchQueue?

    var number = 0

    /// What it does next; nothing before its beginning.
    var step: ScheduledStep?

    /// Those who are to make a step before this one goes on.
    var yieldsTo: [ScenarioThread] = []
    var hasEnded = false

    /// A hash of its steps, and of all that they depend on.
    var history: UInt64

    private unowned let run: ScheduleRun
    private var body: (@Sendable () throws -> Void)?
    private let turn = DispatchSemaphore(value: 0)

    init(
      in run: ScheduleRun,
      named name: String,
      isMain: Bool,
      history: UInt64,
      queue: DispatchQueue? = nil,
      body: @escaping @Sendable () throws -> Void
    ) {
      self.run = run
      self.name = name
      self.queue = queue
      self.history = history
      self.body = body
      self.isMain = isMain
    }

    func resume() { turn.signal() }

    func wait() { turn.wait() }

    func waitForEver() -> Never {
      while true { wait() }
    }

    /// Runs its body, on a worker.
    func main() {
      wait()
      scheduledThread = self
      run.begin(self)
      do { try body?() } catch { run.fail("\(name) throws \(error).") }
      body = nil
      scheduledThread = nil
      yieldsTo = []
      run.end(self)
    }

    // MARK: What the library calls

    func reach(_ step: ScheduledStep) -> Bool { run.reach(step, on: self) }

    func forget(_ lock: UInt) { run.forget(lock) }

    func send(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue) {
      run.send(block, to: queue, by: self)
    }

    func willTrap() {
      let schedule = Schedule(of: run.trace)
      FileHandle.standardError.write(
        Data("everyInterleaving: \(name) ends the process in the schedule \"\(schedule)\".\n".utf8)
      )
    }
  }

  /// Threads of the system, each of which runs one thread of a scenario after the other.
  final class Workers {
    private final class Worker: Sendable {
      let assigned = DispatchSemaphore(value: 0)
      nonisolated(unsafe) var thread: ScenarioThread?
    }

    private var workers: [Worker] = []

    /// Has a worker run a thread: the one of its number, so that each run is the same.
    func assign(_ thread: ScenarioThread) {
      if thread.number > workers.count { workers.append(start()) }
      let worker = workers[thread.number - 1]
      worker.thread = thread
      worker.assigned.signal()
    }

    /// Has the workers end.
    func end() {
      for worker in workers {
        worker.thread = nil
        worker.assigned.signal()
      }
    }

    /// Forgets the workers, some of which will never end their threads.
    func abandon() {
      workers = []
    }

    private func start() -> Worker {
      let worker = Worker()
      Thread.detachNewThread {
        while true {
          worker.assigned.wait()
          guard let thread = worker.thread else { return }
          thread.main()
        }
      }
      return worker
    }
  }
#endif
