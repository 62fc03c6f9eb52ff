import Synchronization

/// Ends an observation. The `observe` methods return a Dust for each observation.
///
/// ```swift
/// let counter = Variable(0)
/// let dust = counter.observe { print($0) }
/// counter.value = 1
/// dust.clean()
/// ```
///
/// An observation lasts until you call `clean()` on its Dust, or on the ``DustBuster`` that contains the Dust. It also ends
/// when every variable and constant that provides the observed value is deallocated. Releasing the Dust doesn't end the
/// observation.
public class Dust: @unchecked Sendable {
  // The lock of the channel's region guards `since`, `next` and `previous`. The thread that is delivering
  // the region may read `since`, `next` and `previous` without the lock. In this class, `lock` guards
  // only `channel`.
  @usableFromInline final let lock = Lock()
  @exclusivity(unchecked) @usableFromInline final var next: Unmanaged<Dust>?
  @exclusivity(unchecked) @usableFromInline final var previous: Unmanaged<Dust>?

  /// The region's version at which the observation starts. The observer receives only later changes.
  @exclusivity(unchecked) @usableFromInline final var since = Version.beginning
  @exclusivity(unchecked) @usableFromInline final var channel: AnyChannel?

  /// The number of the thread that is calling the observer, or zero.
  @usableFromInline final let caller = ScheduledAtomic<UInt32>(0)
  @usableFromInline final let flags: ScheduledAtomic<UInt8>

  /// Whether the closure lets the observer see the right dispatcher, or doesn't call code of the user. This property is
  /// set once, before other threads know the Dust.
  @usableFromInline final var keepsSurroundings = false

  @inlinable static var cleaned: UInt8 { 1 }
  @inlinable static var indirect: UInt8 { 2 }

  /// Releases the channel and the observer's closure, after the last delivery to this observer.
  ///
  /// The closure is created in code that knows the type of the values, and the closure captures nothing.
  /// `Place` explains this technique.
  @usableFromInline final let releaseContents: @Sendable (Dust) -> Void

  @inlinable init(flags: UInt8 = 0, releaseContents: @escaping @Sendable (Dust) -> Void) {
    self.flags = ScheduledAtomic(flags)
    self.releaseContents = releaseContents
  }

  /// Whether this Dust is cleaned and no cleaning work remains.
  var isOver: Bool { isCleaned }

  /// Does the cleaning work that every cleaning thread must do, not only the first of several threads.
  func finishCleaning() {}

  /// Ends the observation.
  ///
  /// After this method has returned, no call of the observer's closure starts, not even for values that are pending on a
  /// queue. A call that another thread has already started might still be running. `clean()` doesn't wait for it, because
  /// it might wait for a lock that this thread holds.
  ///
  /// You can call `clean()` on any thread, more than once, and inside any observer, even the one that you end. The closure
  /// and its captured values are released immediately or, if a change is being delivered, after that delivery. Inside a
  /// reduce, a transaction or a store's initializer, they are released after that code.
  ///
  /// - Complexity: O(1), except for the last observer of a derived constant. Cleaning it is O(k · n) if the constant derives
  ///   from k variables, through n constants that no other observed constant uses. If observers of the same variables are
  ///   being called, the thread that calls them then looks once at all of these observers.
  public final func clean() {
    recordOperation("cleans the observation of", channel)
    end()
    // Another thread might still be cleaning this Dust.
    finishCleaning()
    yieldToCall()
  }

  /// Ends the observation without yielding to a call that has already started.
  final func end() {
    let (flags, _) = flags.write { $0.bitwiseOr(Dust.cleaned, ordering: .sequentiallyConsistent) }
    if flags & Dust.cleaned != 0 { return }
    guard let channel = lock.withLock({ channel }) else { return releaseContents(self) }
    channel.remove(self)
  }

  /// Yields a limited number of times to a thread that is calling the observer. The call has usually ended
  /// after these yields, but `clean()` doesn't guarantee the end of the call.
  ///
  /// This Dust is already cleaned, so each call that is still running has started before; see
  /// `call(on:_:)`.
  private func yieldToCall() {
    let thread = currentThread()
    for _ in 0..<100 {
      let caller = caller.read { $0.load(ordering: .sequentiallyConsistent) }
      if caller == 0 || caller == thread.pointee.id || !thread.yieldProcessor() { return }
    }
  }
}

extension Dust {
  /// Calls the observer, unless this Dust is cleaned.
  ///
  /// A call starts when the calling thread finds that the flag `cleaned` is not set. So no call starts after a
  /// thread has set the flag.
  ///
  /// The calling thread first stores its number in `caller`, and then loads `flags`. A cleaning thread sets the
  /// flag, and then loads `caller`. All four accesses are sequentially consistent, so a cleaning thread
  /// sees each call that has started, and can yield to the call.
  @inlinable @inline(__always) final func call(on thread: CurrentThread, _ observer: () -> Void) {
    caller.write { $0.store(thread.pointee.id, ordering: .sequentiallyConsistent) }
    if !isCleaned { observer() }
    // With release ordering, a thread that no longer sees the caller sees all effects of the call.
    caller.write { $0.store(0, ordering: .releasing) }
  }

  /// Whether the observer would see the dispatcher in which it was handed over, if the thread called it now.
  @inlinable final func seesItsDispatcher(on thread: CurrentThread) -> Bool {
    thread.pointee.surroundings == 0 || keepsSurroundings
  }

  /// Calls the observer, which sees the dispatcher in which it was handed over.
  @usableFromInline final func callInSurroundings(on thread: CurrentThread, _ observer: () -> Void)
  {
    if seesItsDispatcher(on: thread) {
      call(on: thread, observer)
    } else {
      Surroundings.call(in: nil) { call(on: thread, observer) }
    }
  }

  @inlinable final var isCleaned: Bool {
    flags.read { $0.load(ordering: .sequentiallyConsistent) } & Dust.cleaned != 0
  }

  /// Whether the delivering thread may call the observer's closure directly. The value is false if this
  /// Dust is cleaned, or if changes go through the mailbox.
  @inlinable
  final var isDirect: Bool { flags.read { $0.load(ordering: .sequentiallyConsistent) } == 0 }
}

/// The objects that a thread has detached under a region's lock, and that it has to release after
/// unlocking.
@usableFromInline struct Detached {
  /// The detached observations, as a list that is linked through the observations' own properties. This
  /// list needs no allocation, and releasing its observations needs no recursion.
  private var observations: Unmanaged<Dust>?

  /// The channels that no observer or observed constant uses any longer.
  var unobserved: [AnyChannel] = []

  var others: [AnyObject] = []

  mutating func push(_ dust: Dust) {
    dust.previous = observations
    observations = .passUnretained(dust)
  }

  /// Does the work of `release()` when this thread holds no lock: a region can start inside a transaction, and the
  /// observations can be other threads'.
  @usableFromInline func releaseUnlocked(by channel: AnyChannel, on thread: CurrentThread) {
    guard thread.holdsLock else { return release() }
    nonisolated(unsafe) let late = self
    channel.deferUntilUnlocked(on: thread) { _ in late.release() }
  }

  /// Informs the unobserved channels, and then releases the detached observations with their contents; see
  /// `Dust.end()`.
  @usableFromInline func release() {
    for channel in unobserved { channel.observersMayHaveLeft() }
    var next = observations
    while let first = next {
      first.use { dust in
        next = dust.previous
        dust.previous = nil
        dust.releaseContents(dust)
      }
      first.release()
    }
  }
}

// MARK: - A channel's ring of observations

extension AnyChannel {
  /// Adds an observation at the end of the ring. The caller must hold the region's lock.
  @inlinable final func link(_ dust: Dust, since version: Version) {
    let own = Unmanaged.passRetained(dust)
    let (next, previous) = (firstObservation ?? own, firstObservation?.use { $0.previous } ?? own)
    (dust.since, dust.channel) = (version, self)
    (dust.next, dust.previous) = (next, previous)
    previous.use { $0.next = own }
    next.use { $0.previous = own }
    if firstObservation == nil { firstObservation = own }
  }

  /// Calls a closure with each observation in a part of the ring. The closure may remove the observation
  /// that the closure receives.
  @inlinable static func walk(_ stretch: Stretch, _ body: (Dust) -> Void) {
    guard var dust = stretch.first else { return }
    while true {
      // Don't read the `next` of the last observation, because another thread might be appending to the
      // ring.
      let next = dust.toOpaque() == stretch.last?.toOpaque() ? nil : dust.use { $0.next }
      dust.use(body)
      guard let next else { return }
      dust = next
    }
  }

  /// The first and the last observation of a part of the ring, which the delivering thread walks without the
  /// lock.
  @usableFromInline typealias Stretch = (first: Unmanaged<Dust>?, last: Unmanaged<Dust>?)

  /// The part of the ring that contains all current observations. The caller must hold the region's lock.
  @inlinable final var stretch: Stretch {
    (firstObservation, firstObservation?.use { $0.previous })
  }

  /// Removes an observation from the ring, and moves the ring's reference into `detached`. An observation
  /// that has already left the ring is ignored. The caller must hold the region's lock.
  private final func unlink(_ dust: Dust, into detached: inout Detached) {
    let own = Unmanaged.passUnretained(dust)
    guard let next = dust.next, let previous = dust.previous else { return }
    previous.use { $0.next = next }
    next.use { $0.previous = previous }
    let isAlone = next.toOpaque() == own.toOpaque()
    if firstObservation?.toOpaque() == own.toOpaque() { firstObservation = isAlone ? nil : next }
    dust.next = nil
    detached.push(dust)
  }

  /// Removes a cleaned observation immediately or, during a delivery, at the end of that delivery.
  ///
  /// The deinit of a value that a mutation discards can call this method. Inside a mutation, this thread
  /// must not wait for the region's lock. The thread that holds the region's lock might be waiting for
  /// the lock of the mutated variable.
  final func remove(_ dust: Dust) {
    let thread = currentThread()
    guard thread.pointee.openMutations == 0 else {
      return deferUntilUnlocked(on: thread) { $0.remove(dust) }
    }
    var detached = Detached()
    let region = regionChannel
    let hasDependents = region.lock.withLock {
      if region.deliverer.isDelivering {
        region.deliverer.hasCleaned = true
      } else {
        unlink(dust, into: &detached)
      }
      return self.hasDependents
    }
    if !hasDependents || isOwned { observersMayHaveLeft() }
    detached.release()
    // Meanwhile, other threads might have released their references to the channel.
    if thread.holdsLock { thread.keepUntilUnlocked(self) }
  }

  /// Defers an action until this thread holds no lock. Afterward, the thread performs the action as part of its pending
  /// deliveries.
  final func deferUntilUnlocked(
    on thread: CurrentThread,
    do action: @escaping @Sendable (AnyChannel) -> Void
  ) {
    let place = Place(to: self) { channel, _, _ in
      // The downcast is safe because this channel is the closure's first argument.
      action(unsafeDowncast(channel, to: AnyChannel.self))
    }
    thread.append(place, isOwn: false)
  }

  /// Removes the observations that were cleaned during a delivery. The caller must hold the region's lock.
  final func removeCleaned(into detached: inout Detached) {
    AnyChannel.walk(stretch) { dust in
      if dust.isCleaned { unlink(dust, into: &detached) }
    }
    if !hasDependents || isOwned { detached.unobserved.append(self) }
  }

  /// Removes all observations if no change is pending. The caller must hold the channel's lock.
  final func closeIfIdle(into detached: inout Detached) {
    guard isIdle, !pendingWrite.isWritten, !pendingWrite.waitsForDelivery else { return }
    while let first = firstObservation { unlink(first.takeUnretainedValue(), into: &detached) }
  }
}
