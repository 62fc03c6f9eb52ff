#if DEBUG
  import FluxCapacitor
  import Synchronization

  /// Chooses the next thread of a scenario at random, and the same threads in each exploration with the same seed.
  ///
  /// Threads meet at a step if the step uses a lock or an atomic value that several threads have used in the
  /// schedules so far. Only there, a thread is interrupted. Half of the schedules are random walks. In the other
  /// half, each thread has a random priority, and the running thread receives the lowest priority at one to four
  /// random steps. These schedules find a fault that needs few interruptions with a known probability, however many
  /// steps the scenario has (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic
  /// Guarantees of Finding Bugs, 2010).
  final class RandomSchedules {
    /// The number of schedules.
    let count: Int

    private var generator: SplitMix

    /// For each lock and atomic value, by its position in the schedule, a bit set of the threads that have used it.
    private var users: [Int: UInt64] = [:]

    /// The number of steps of the last schedule at which threads met.
    private var formerMeetings = 0

    // The properties of the current schedule.

    /// The number of steps so far at which threads met.
    private var meetings = 0

    /// A random walk interrupts the running thread at about one in this many steps. Other schedules have no number.
    private var stepsOfWalk: UInt64?

    /// The numbers of the steps at which the running thread receives the lowest priority.
    private var changes: Set<Int> = []

    private var lowest = UInt64.max / 2

    init(count: Int, seed: UInt64) {
      self.count = count
      generator = SplitMix(seed: seed)
    }

    func beginSchedule() {
      formerMeetings = max(meetings, formerMeetings / 2)
      meetings = 0
      lowest = .max / 2
      stepsOfWalk =
        Bool.random(using: &generator) ? 2 << UInt64.random(in: 0...4, using: &generator) : nil
      changes = []
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        changes.insert(.random(in: 0...formerMeetings, using: &generator))
      }
    }

    /// The priority of a new thread.
    func nextPriority() -> UInt64 { .random(in: UInt64.max / 2...UInt64.max, using: &generator) }

    private func index(of step: ScheduledStep?) -> Int? {
      switch step {
      case .lock(let id), .tryLock(let id), .unlocked(let id), .read(let id), .write(let id):
        LockIDs.index(of: id)
      case .yield, nil:
        nil
      }
    }

    func note(_ step: ScheduledStep?, by thread: ScenarioThread) {
      if let index = index(of: step) { users[index, default: 0] |= thread.bit }
    }

    /// Whether threads meet at a step.
    func areMeeting(at step: ScheduledStep?) -> Bool {
      // All threads meet at objects from outside of the schedule, and at interleaving points.
      index(of: step).map { users[$0, default: 0].nonzeroBitCount > 1 } ?? true
    }

    /// Chooses a thread.
    ///
    /// - Parameters:
    ///   - able: A bit set of the threads that can continue.
    ///   - running: The running thread, if it can continue.
    func choose(
      among able: UInt64,
      running: ScenarioThread?,
      in threads: [ScenarioThread]
    ) -> ScenarioThread {
      if running != nil { meetings += 1 }
      if let stepsOfWalk {
        if let running, UInt64.random(in: 0..<stepsOfWalk, using: &generator) > 0 { return running }
        var bits = able
        for _ in 0..<Int.random(in: 0..<able.nonzeroBitCount, using: &generator) {
          bits &= bits - 1
        }
        return threads[bits.trailingZeroBitCount]
      }
      if let running, changes.contains(meetings) {
        lowest -= 1
        running.priority = lowest
      }
      var first = threads[able.trailingZeroBitCount]
      for thread in threads where able & thread.bit != 0 && thread.priority > first.priority {
        first = thread
      }
      return first
    }
  }

  /// The numbers of the locks and atomic values that one schedule creates.
  final class LockIDs {
    /// The address of the last number.
    let last = UnsafeMutablePointer<UInt>.allocate(capacity: 1)

    private static let first: UInt = 1 << UInt(UInt.bitWidth - 4)
    private static let locks: UInt = 1 << 16

    /// The number of the newest schedule of the process. Relaxed ordering is enough, because the numbers only have to be
    /// unique.
    private static let newest = Atomic<UInt>(0)

    init() {
      let schedule = LockIDs.newest.wrappingAdd(1, ordering: .relaxed).newValue
      last.initialize(to: LockIDs.first + schedule * LockIDs.locks % LockIDs.first)
    }

    deinit { last.deallocate() }

    /// The position of a number among those of its schedule, or nil if no schedule has created the lock.
    static func index(of id: UInt) -> Int? { id / first == 1 ? Int(id % locks) : nil }
  }
#endif
