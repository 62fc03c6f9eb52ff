#if DEBUG
  import FluxCapacitor
  import Foundation

  /// The holders of the locks in a run, and the histories of the accesses to shared state.
  ///
  /// A hand-written hash table stores the state, because every step needs a lookup, and `Dictionary` is
  /// slow in debug builds.
  final class SharedMemory {
    private struct Place {
      /// The identifier of a lock, the address of a queue, or a small number for other shared state.
      var id: UInt

      /// The thread that holds the lock.
      var holder: Unmanaged<ScenarioThread>?

      /// The history of the last write to this place.
      var lastWrite: UInt64
      var reads: UInt64 = 0
    }

    private var mask = 255
    private var count = 0
    private var places: UnsafeMutablePointer<Place>

    init() {
      places = .allocate(capacity: mask + 1)
      clear()
    }

    deinit {
      places.deallocate()
    }

    /// Makes all places empty. All bytes of an empty place are zero.
    private func clear() {
      memset(places, 0, (mask + 1) * MemoryLayout<Place>.stride)
    }

    /// Performs a step, and returns whether the step has succeeded.
    func perform(_ step: ScheduledStep?, by thread: ScenarioThread) -> Bool {
      let history = history(of: thread, after: step)
      defer { thread.history = history }
      guard let step else { return true }
      switch step {
      case .lock(let id):
        let place = place(id, for: thread)
        place.pointee.holder = .passUnretained(thread)
        write(history, to: place)
      case .tryLock(let id):
        let place = place(id, for: thread)
        let isFree = place.pointee.holder == nil
        if isFree { place.pointee.holder = .passUnretained(thread) }
        write(history, to: place)
        return isFree
      case .write(let id):
        write(history, to: place(id, for: thread))
      case .read(let id):
        place(id, for: thread).pointee.reads &+= history
      case .unlocked, .yield:
        break
      }
      return true
    }

    func unlock(_ id: UInt, by thread: ScenarioThread) {
      let place = place(id, for: thread)
      place.pointee.holder = nil
      write(thread.history, to: place)
    }

    private func write(_ history: UInt64, to place: UnsafeMutablePointer<Place>) {
      place.pointee.lastWrite = history
      place.pointee.reads = 0
    }

    func canPerform(_ step: ScheduledStep) -> Bool {
      guard case .lock(let id) = step, let place = find(id) else { return true }
      return place.pointee.holder == nil
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
      return find(id)?.pointee.holder?.takeUnretainedValue()
    }

    /// Returns the history that a thread has after a step.
    func history(of thread: ScenarioThread, after step: ScheduledStep?) -> UInt64 {
      let before = thread.history
      guard let step else { return (before &+ 1).mixed }
      switch step {
      case .unlocked: return (before &+ 2).mixed
      case .yield: return (before &+ 3).mixed
      case .read(let id):
        return (before ^ (lastWrite(to: id, for: thread) &+ 4).mixed).mixed
      case .lock(let id), .tryLock(let id), .write(let id):
        let reads = find(id)?.pointee.reads ?? 0
        return (before ^ (lastWrite(to: id, for: thread) &+ 5 &+ reads.mixed).mixed).mixed
      }
    }

    private func lastWrite(to id: UInt, for thread: ScenarioThread) -> UInt64 {
      find(id)?.pointee.lastWrite ?? SharedMemory.firstHistory(for: thread)
    }

    /// Returns the initial history of a place, which depends on the thread that accesses the place first.
    private static func firstHistory(for thread: ScenarioThread) -> UInt64 {
      (thread.history &+ 6).mixed
    }

    // MARK: The table

    private func find(_ id: UInt) -> UnsafeMutablePointer<Place>? {
      var index = firstIndex(for: id)
      while true {
        let place = places + index
        if place.pointee.id == id { return place }
        if place.pointee.id == 0 { return nil }
        index = (index &+ 1) & mask
      }
    }

    private func place(_ id: UInt, for thread: ScenarioThread) -> UnsafeMutablePointer<Place> {
      if let place = find(id) { return place }
      if count &* 2 > mask { grow() }
      count &+= 1
      return insert(Place(id: id, lastWrite: SharedMemory.firstHistory(for: thread)))
    }

    private func insert(_ place: Place) -> UnsafeMutablePointer<Place> {
      var index = firstIndex(for: place.id)
      while places[index].id != 0 { index = (index &+ 1) & mask }
      places[index] = place
      return places + index
    }

    private func grow() {
      let (old, oldMask) = (places, mask)
      mask = mask &* 2 &+ 1
      places = .allocate(capacity: mask + 1)
      clear()
      for index in 0...oldMask where old[index].id > 0 { _ = insert(old[index]) }
      old.deallocate()
    }

    private func firstIndex(for id: UInt) -> Int {
      Int(truncatingIfNeeded: UInt64(id).mixed) & mask
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
