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
  /// - Complexity: O(1), except for the last observer of a derived constant. Cleaning it is O(n) in the number of variables
  ///   and constants that no other observed constant uses.
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
    let isFirst = flags & Dust.cleaned == 0
    if let channel = lock.withLock({ channel }) {
      // While another thread still removes the last observation of a derived constant, the constant would start a new
      // observer of this thread with its former value. `remove` waits for that thread.
      if isFirst || channel.isDerived { channel.remove(self) }
    } else if isFirst {
      releaseContents(self)
    }
  }

  /// Yields a limited number of times to a thread that is calling the observer. The call has usually ended
  /// after these yields, but `clean()` doesn't guarantee the end of the call.
  ///
  /// This Dust is already cleaned, so each call that is still running has started before; see
  /// `call(on:_:)`.
  private func yieldToCall() {
    let thread = CurrentThread.current
    for _ in 0..<100 {
      let caller = caller.read { $0.load(ordering: .sequentiallyConsistent) }
      if caller == 0 || caller == thread.id || !thread.yieldProcessor() { return }
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
    caller.write { $0.store(thread.id, ordering: .sequentiallyConsistent) }
    if !isCleaned { observer() }
    // With release ordering, a thread that no longer sees the caller sees all effects of the call.
    caller.write { $0.store(0, ordering: .releasing) }
  }

  /// Whether the observer would see the dispatcher in which it was handed over, if the thread called it now.
  @inlinable final func seesItsDispatcher(on thread: CurrentThread) -> Bool {
    thread.pointee.surroundings == 0 || keepsSurroundings
  }

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
  func releaseUnlocked(by channel: AnyChannel, on thread: CurrentThread) {
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
