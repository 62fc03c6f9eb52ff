import Observation
import Synchronization

/// Reports the reads of a channel to the Observation framework, and notifies Observation of the channel's
/// changes.
///
/// Observation has no API that detects tracking. Only inside `withObservationTracking`, Observation hashes
/// the key path of each access that is reported to a registrar. So a tracker's key path counts how often it
/// is hashed.
///
/// Only the channels of variables have trackers. A read of a derived constant is reported as a read of each
/// variable that the constant derives from. So the read stays tracked after the constant's deallocation, and
/// the body of a view that makes a constant in each run leaves nothing behind.
///
/// A channel has no tracker until Observation tracks a read of the channel. Until then, each thread reports
/// the read to its spare tracker, which no other thread uses. If the read is tracked, the spare tracker
/// becomes the channel's tracker. So a registrar that Observation uses for a tracking lives as long as a
/// channel that the tracking has read. If a registrar were deallocated earlier, the tracking would leak, or
/// would even be notified.
///
/// Observation doesn't promise to hash key paths. So a probe checks once per process that a tracked read
/// is detected. If the probe fails, every read counts as tracked.
@usableFromInline final class Tracker: Observable, @unchecked Sendable {
  private typealias Path = Unmanaged<KeyPath<Tracker, Void>>
  private typealias Paths = (Path, Path)

  /// Two key paths, one for the accesses before a change and one for those after it. No other living tracker has the same
  /// objects. Observation retains the key path of an access for as long as the tracked read waits. The references are
  /// owned; they are unmanaged, so that `isUsed(_:)` can count the other references.
  private let paths: Paths

  /// Which of the two key paths the next access uses. Only the thread that is notifying writes this property.
  ///
  /// Relaxed ordering is enough, because `notifyUsed` expects accesses with the wrong key path.
  private let usesSecondPath = ScheduledAtomic<Bool>(false)

  /// The observation that notifies the tracker of the channel's changes. This property is set once, before
  /// other threads find the tracker in the extras.
  @exclusivity(unchecked) private(set) var dust: Dust!

  /// Whether Observation doesn't retain key paths, so that the tracker can't know whether a read waits. This property
  /// is set once, before other threads know the tracker.
  private var isBlind = false

  // `lock` guards the properties below, and the counting of references to the key paths.
  private let lock = Lock()

  /// Whether a thread is notifying, and whether another thread has left a change to it.
  private var isNotifying = false
  private var isLeft = false

  /// The tracker's place in a list of missed changes, if it has one.
  private var missed: (list: MissedChanges, number: Int)?

  /// The trackers of other threads that have read the channel for the first time simultaneously. Their
  /// registrars belong to trackings of the channel.
  private var superfluous: [Tracker] = []

  // The size of a registrar is unknown at compile time. As the last property, it doesn't slow down accesses to
  // the other properties.
  private let registrar: ObservationRegistrar

  private init(_ registrar: ObservationRegistrar, _ paths: Paths) {
    (self.registrar, self.paths) = (registrar, paths)
  }

  @usableFromInline convenience init() {
    let paths = (Path.passRetained(\.[HashProbe(0)]), Path.passRetained(\.[HashProbe(1)]))
    self.init(ObservationRegistrar(), paths)
  }

  deinit {
    #if DEBUG
      if deallocatedRegistrarsNotify.load(ordering: .relaxed) { notifyAll() }
    #endif
    guard let missed else {
      paths.0.release()
      paths.1.release()
      return
    }
    missed.list.remove(missed.number)
    // The variable is gone before the block on the main queue. Another registrar might be releasing it under its lock, so
    // the thread notifies with its other deliveries.
    let thread = currentThread()
    let heir = Place(to: Tracker(registrar, paths)) { heir, _, _ in
      // The downcast is safe because the closure receives its place's target.
      unsafeDowncast(heir, to: Tracker.self).notifyAll()
    }
    thread.append(heir, isOwn: false)
    thread.deliverPlaces()
  }

  private subscript(_: HashProbe) -> Void { () }

  /// A subscript index that counts how often this thread hashes it.
  private struct HashProbe: Hashable, Sendable {
    let number: UInt8

    init(_ number: UInt8) { self.number = number }

    func hash(into hasher: inout Hasher) {
      #if DEBUG
        if hashingIsIgnored.load(ordering: .relaxed) { return }
      #endif
      currentThread().pointee.hashedPaths &+= 1
      hasher.combine(number)
    }
  }

  // MARK: Reads

  /// Reports a read to Observation, and returns whether the read counts as tracked.
  @inline(__always) final func noteAccess(on thread: CurrentThread) -> Bool {
    accessIsHashed(on: thread) || Tracker.readsAreUndetected
  }

  @inline(__always) private func accessIsHashed(on thread: CurrentThread) -> Bool {
    let before = thread.pointee.hashedPaths
    // A tracker that nothing notifies always uses the first key path.
    let usesSecond = dust != nil && usesSecondPath.read { $0.load(ordering: .relaxed) }
    // In a scenario, a change can come between the choice and the access.
    if dust != nil { usesSecondPath.read { _ in } }
    (usesSecond ? paths.1 : paths.0).use { registrar.access(self, keyPath: $0) }
    return thread.pointee.hashedPaths != before
  }

  /// Whether this process's version of Observation doesn't hash the key path of a tracked access. The probe
  /// runs only after an access without hashing, so no tracking that is detected includes the probe.
  static var readsAreUndetected: Bool {
    let result = probeResult.load(ordering: .relaxed)
    return (result == 0 ? probe() : result) == 2
  }

  @inline(never) private static func probe() -> UInt8 {
    let tracker = Tracker()
    let isDetected = withObservationTracking {
      tracker.accessIsHashed(on: currentThread())
    } onChange: {
    }
    let result: UInt8 = isDetected ? 1 : 2
    probeResult.store(result, ordering: .relaxed)
    return result
  }

  /// Zero before the probe, 1 if tracked reads are detected, and 2 if not.
  ///
  /// The initial value is a constant, so reading this property skips the check that a lazy global needs.
  /// Relaxed ordering is enough, because each thread that probes stores the same result.
  private static let probeResult = Atomic<UInt8>(0)

  /// Whether a tracked read might still wait for its change.
  var isAwaited: Bool { lock.withLock { isUsed(paths.0) || isUsed(paths.1) } }

  /// Whether a tracking might use a key path, because something else retains it. The caller must hold `lock`, so that no
  /// other thread takes the tracker's own reference simultaneously.
  private func isUsed(_ path: Path) -> Bool {
    var path = path.takeRetainedValue()
    defer { _ = Path.passRetained(path) }
    return isBlind || !isKnownUniquelyReferenced(&path)
  }

  /// Gives a thread a spare tracker.
  @inline(never) static func addSpare(to thread: CurrentThread) -> Unmanaged<AnyObject> {
    let tracker = Unmanaged.passRetained(Tracker() as AnyObject)
    thread.pointee.spareTracker = tracker
    return tracker
  }

  // MARK: Changes

  /// Notifies all trackings that wait for the channel's next change. If a view might miss the change, its trackings are
  /// notified again later.
  func noteChange() { notifyUsed(canMiss: true) }

  /// Notifies the trackings of a change that a view might have missed. The main queue calls this method.
  func noteMissedChange() {
    lock.withLock { missed = nil }
    // The variable may be gone already. Then this notification is the last one.
    notifyUsed(canMiss: false)
    dust.lock.withLock { dust.channel }?.observersMayHaveLeft()
  }

  /// Notifies the trackings that use a key path.
  ///
  /// The body of a view reads a value under the lock of its channel, after Observation has retained a key path. The
  /// change was written under the same lock. So if a body has read the former value, its key path counts as used below.
  /// A tracking that begins during the notification uses the other key path, so it doesn't count. It might, however,
  /// have chosen that key path before an earlier change.
  ///
  /// If two threads notified simultaneously, Observation might call a tracking twice. So the second thread leaves its
  /// change to the first one. One of the two is the main queue's block, so no view can miss the change then.
  private func notifyUsed(canMiss: Bool) {
    var isAgain = false
    repeat {
      let (former, next) = lock.withLock { beginNotifying(again: isAgain) }
      if former == nil, next == nil { return }
      usesSecondPath.write { _ = $0.logicalXor(true, ordering: .relaxed) }
      // The trackings that begin meanwhile use `next`.
      next.map(notify)
      former.map(notify)
      if canMiss, !isAgain { noteMiss(of: [former, next]) }
      isAgain = lock.withLock {
        isNotifying = isLeft
        return isLeft
      }
    } while isAgain
  }

  /// Returns the former and the next key path if they are used and this thread has to notify. The caller must hold
  /// `lock`.
  private func beginNotifying(again isAgain: Bool) -> (former: Path?, next: Path?) {
    let usesSecond = usesSecondPath.unscheduled.load(ordering: .relaxed)
    let (former, next) = usesSecond ? (paths.1, paths.0) : paths
    let used = (former: isUsed(former) ? former : nil, next: isUsed(next) ? next : nil)
    let isAnyUsed = used.former != nil || used.next != nil
    if isNotifying, !isAgain {
      isLeft = isLeft || isAnyUsed
      return (nil, nil)
    }
    (isNotifying, isLeft) = (isAnyUsed, false)
    return used
  }

  /// Sends a block to the main queue if a tracking still uses a key path after its notification, and so might have
  /// missed the change.
  private func noteMiss(of notified: [Path?]) {
    let list = MissedChanges.current
    let isFirst = lock.withLock {
      // Before the tracker has its observation, the only body that uses the tracker has not yet read the value.
      guard dust != nil, missed == nil, notified.contains(where: { $0.map(isUsed) ?? false }) else {
        return false
      }
      let (number, isFirst) = list.add(self)
      missed = (list, number)
      return isFirst
    }
    if isFirst { list.sendBlock() }
  }

  private func notifyAll() {
    notify(paths.0)
    notify(paths.1)
  }

  private func notify(_ path: Path) {
    path.use { registrar.withMutation(of: self, keyPath: $0) {} }
  }

  /// Makes a thread's spare tracker the tracker of a channel, unless another thread has already installed a
  /// tracker.
  func install(in channel: AnyChannel, on thread: CurrentThread) {
    isBlind = !isAwaited
    // The channel owns the tracker.
    let dust = channel.observe { [unowned self, unowned channel] in
      noteChange()
      channel.observersMayHaveLeft()
    }
    lock.withLock { self.dust = dust }
    let extras = channel.lock.withLock { channel.ensureAnyExtras() }
    // Only this method adds a companion.
    let tracker = unsafeDowncast(extras.addCompanion(self), to: Tracker.self)
    guard tracker !== self else { return }
    dust.clean()
    tracker.lock.withLock { tracker.superfluous.append(self) }
    _ = tracker.noteAccess(on: thread)
  }
}

#if DEBUG
  /// Whether the hashing of key paths isn't counted. A test sets this flag to simulate a version of
  /// Observation that doesn't hash key paths.
  package let hashingIsIgnored = Atomic<Bool>(false)

  /// Whether a deallocated registrar notifies its trackings. A test sets this flag to simulate a version of
  /// Observation that treats the deallocation as a change.
  package let deallocatedRegistrarsNotify = Atomic<Bool>(false)
#endif
