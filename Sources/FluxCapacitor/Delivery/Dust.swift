import Synchronization

/// An observation, which `observe` returns so that you can end it.
///
/// An observation lasts until you call `clean()` on its Dust, or on the ``DustBuster`` that contains the
/// Dust. It also ends when every variable and constant that leads to the value is deallocated. Releasing
/// the Dust doesn't end the observation.
///
/// ```swift
/// let counter = Variable(0)
/// let dust = counter.observe { print($0) }
/// counter.value = 1
/// dust.clean()
/// ```
public class Dust: @unchecked Sendable {
  // The lock of the channel's region guards `since`, `next` and `previous`. Outside of the lock, they
  // belong to the deliverer. `lock` guards `channel`. `caller` and `flags` are atomic.
  @usableFromInline final let lock = Lock()
  @exclusivity(unchecked) @usableFromInline final var next: Unmanaged<Dust>?
  @exclusivity(unchecked) @usableFromInline final var previous: Unmanaged<Dust>?

  /// The version of the region from which the observation starts: it receives later changes.
  @exclusivity(unchecked) @usableFromInline final var since = Version()
  @exclusivity(unchecked) @usableFromInline final var channel: AnyChannel?

  /// The thread that is calling the observer, or zero. It is combined with
  /// `aboutToCall` until the call starts.
  @usableFromInline final let caller = ScheduledAtomic<UInt32>(0)
  @usableFromInline final let flags: ScheduledAtomic<UInt8>

  /// Whether the observer may have a value that other observers never receive, because their value counts as
  /// equal. The next change calls this observer even if it calls no other. The region's lock guards this.
  @exclusivity(unchecked) final var isAhead = false

  /// Whether the change in progress calls this observer even if it calls no other.
  /// It belongs to the deliverer.
  @exclusivity(unchecked) @usableFromInline final var isOwed = false

  @inlinable static var cleaned: UInt8 { 1 }
  @inlinable static var indirect: UInt8 { 2 }
  @inlinable static var aboutToCall: UInt32 { 1 << 31 }

  /// A closure that releases the channel and the observer's closure, when no thread delivers to
  /// them any more. It is created in code that knows the type of the values, and captures
  /// nothing; see `PendingDelivery`.
  @usableFromInline final let releaseContents: @Sendable (Dust) -> Void

  @inlinable init(flags: UInt8 = 0, releaseContents: @escaping @Sendable (Dust) -> Void) {
    self.flags = ScheduledAtomic(flags)
    self.releaseContents = releaseContents
  }

  /// Whether this Dust is cleaned, and no thread has any cleaning left to do.
  var isOver: Bool { isCleaned }

  /// Does the part of the cleaning that each cleaning thread does itself, even if another thread is
  /// already cleaning this Dust.
  func finishCleaning() {}

  /// Ends the observation.
  ///
  /// After this method returns, no call of the observer's closure starts, not even for values that
  /// wait on a queue. A call that another thread has already started may still be running. `clean()`
  /// doesn't wait for it to end. That could take forever, because the call may be waiting for
  /// something that this thread holds.
  ///
  /// You can call `clean()` from any thread, more than once, and inside any observer, including the
  /// observer of this observation. The closure and its captured values are released immediately or, if a
  /// change is being delivered, after that delivery.
  ///
  /// - Complexity: O(1). For the last observer of a derived constant, O(n) in the constants and variables
  ///   that only this constant derives from.
  public final func clean() {
    var yields = Dust.yieldsToCalls
    end()
    // Another thread may have started to clean it and not be finished yet.
    finishCleaning()
    waitForPreparedCalls(&yields)
  }

  /// Ends the observation, without waiting for a call that is about to start.
  final func end() {
    let (flags, _) = flags.write { $0.bitwiseOr(Dust.cleaned, ordering: .sequentiallyConsistent) }
    guard flags & Dust.cleaned == 0 else { return }
    if let channel = lock.withLock({ channel }) {
      channel.remove(self)
    } else {
      releaseContents(self)
    }
  }

  /// Waits until no other thread is about to call the observer.
  ///
  /// A calling thread writes `caller` and then reads `flags`. A cleaning thread writes `flags` and then
  /// reads `caller`. All four accesses are sequentially consistent, so at least one of the two threads sees
  /// the other's write. Either the call is not made, or the cleaning thread waits for it. No user code runs
  /// between preparing and starting a call. So the wait ends as long as the scheduler lets the other thread
  /// run at all, however long that thread is preempted.
  ///
  /// For a call that has started, this method yields a limited number of times, so that the
  /// call has usually ended when the method returns. Nothing depends on that: the thread may
  /// not even have entered the closure.
  final func waitForPreparedCalls(_ yields: inout Int) {
    let thread = CurrentThread.current
    while true {
      let caller = caller.read { $0.load(ordering: .sequentiallyConsistent) }
      if caller == 0 || caller & ~Dust.aboutToCall == thread.id { return }
      if caller & Dust.aboutToCall == 0 {
        guard yields > 0 else { return }
        yields -= 1
      }
      guard thread.yieldProcessor() else { return }
    }
  }

  /// The number of times that a cleaning thread yields to calls that have started.
  static let yieldsToCalls = 100
}

extension Dust {
  /// Announces a call, so that a cleaning thread waits for it. Only after this may the calling thread check
  /// whether it may make the call.
  @inlinable final func prepareCall(on thread: CurrentThread) {
    caller.write { $0.store(thread.id | Dust.aboutToCall, ordering: .sequentiallyConsistent) }
  }

  /// Announces that the call starts, so that cleaning threads no longer wait for it.
  @inlinable final func beginCall(on thread: CurrentThread) {
    // Release ordering is enough, as in `endCall`. It keeps the store from becoming visible
    // before the check of `flags`.
    caller.write { $0.store(thread.id, ordering: .releasing) }
  }

  /// Announces that the call has ended, or is not made.
  @inlinable final func endCall() { caller.write { $0.store(0, ordering: .releasing) } }

  @inlinable final var isCleaned: Bool {
    flags.read { $0.load(ordering: .sequentiallyConsistent) } & Dust.cleaned != 0
  }

  /// Whether the deliverer may call the closure: this Dust is not cleaned, and changes bypass the mailbox.
  @inlinable
  final var isDirect: Bool { flags.read { $0.load(ordering: .sequentiallyConsistent) } == 0 }
}
