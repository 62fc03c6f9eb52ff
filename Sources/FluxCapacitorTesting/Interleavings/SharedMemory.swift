#if DEBUG
  import FluxCapacitor

  /// The holders of the locks in a run, and the histories of the accesses to shared state.
  final class SharedMemory {
    private struct Place {
      /// The thread that holds the lock.
      var holder: ScenarioThread?

      /// The history of the last write to this place.
      var lastWrite: UInt64
      var reads: UInt64 = 0

      mutating func write(_ history: UInt64) { (lastWrite, reads) = (history, 0) }
    }

    /// The places by the identifiers of locks, the addresses of queues, and small numbers for other shared state.
    private var places: [UInt: Place] = [:]

    /// Performs a step, and returns whether the step has succeeded.
    func perform(_ step: ScheduledStep?, by thread: ScenarioThread) -> Bool {
      let history = history(of: thread, after: step)
      defer { thread.history = history }
      switch step {
      case .lock(let id):
        change(id, for: thread) { place in
          place.holder = thread
          place.write(history)
        }
      case .tryLock(let id):
        let isFree = places[id]?.holder == nil
        change(id, for: thread) { place in
          if isFree { place.holder = thread }
          place.write(history)
        }
        return isFree
      case .write(let id): change(id, for: thread) { $0.write(history) }
      case .read(let id): change(id, for: thread) { $0.reads &+= history }
      case .unlocked, .yield, nil: break
      }
      return true
    }

    func unlock(_ id: UInt, by thread: ScenarioThread) {
      change(id, for: thread) { place in
        place.holder = nil
        place.write(thread.history)
      }
    }

    private func change(_ id: UInt, for thread: ScenarioThread, _ body: (inout Place) -> Void) {
      body(&places[id, default: Place(lastWrite: SharedMemory.firstHistory(for: thread))])
    }

    func canPerform(_ step: ScheduledStep) -> Bool {
      guard case .lock(let id) = step else { return true }
      return places[id]?.holder == nil
    }

    func reasonToWait(of thread: ScenarioThread) -> String? {
      holder(blocking: thread).map { "waits for a lock that \($0.name) holds" }
    }

    /// Returns the thread that must continue first so that a thread can continue, or nil if threads wait for each other.
    func unblocker(of thread: ScenarioThread) -> ScenarioThread? {
      var (last, passed) = (thread, thread.bit)
      while let holder = holder(blocking: last) {
        if passed & holder.bit != 0 { return nil }
        (last, passed) = (holder, passed | holder.bit)
      }
      return last
    }

    private func holder(blocking thread: ScenarioThread) -> ScenarioThread? {
      guard case .lock(let id)? = thread.step else { return nil }
      return places[id]?.holder
    }

    /// Returns the history that a thread has after a step.
    func history(of thread: ScenarioThread, after step: ScheduledStep?) -> UInt64 {
      let before = thread.history
      switch step {
      case nil: return (before &+ 1).mixed
      case .unlocked: return (before &+ 2).mixed
      case .yield: return (before &+ 3).mixed
      case .read(let id):
        return (before ^ (lastWrite(to: id, for: thread) &+ 4).mixed).mixed
      case .lock(let id), .tryLock(let id), .write(let id):
        let reads = places[id]?.reads ?? 0
        return (before ^ (lastWrite(to: id, for: thread) &+ 5 &+ reads.mixed).mixed).mixed
      }
    }

    private func lastWrite(to id: UInt, for thread: ScenarioThread) -> UInt64 {
      places[id]?.lastWrite ?? SharedMemory.firstHistory(for: thread)
    }

    /// Returns the initial history of a place, which depends on the thread that accesses the place first.
    private static func firstHistory(for thread: ScenarioThread) -> UInt64 {
      (thread.history &+ 6).mixed
    }
  }

  extension UInt64 {
    /// A hash of the number, in which each bit of the number affects all bits.
    var mixed: UInt64 {
      var bits = (self ^ self &>> 30) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ bits &>> 27) &* 0x94D0_49BB_1331_11EB
      return bits ^ bits &>> 31
    }
  }
#endif
