import Synchronization

/// An observation, which `observe` returns so that you can end it.
///
/// An observation lasts until `clean()` is called, on this Dust or through the ``DustBuster`` that
/// it was put into, or until every variable and constant that leads to the value is deallocated.
/// Releasing the Dust doesn't end it.
///
/// ```swift
/// let counter = Variable(0)
/// let dust = counter.observe { print($0) }
/// counter.value = 1
/// dust.clean()
/// ```
public class Dust: @unchecked Sendable {
  // `since`, `next` and `previous` are guarded by the channel's lock and, outside it, belong to the
  // thread that delivers; `channel` is guarded by `lock`; `caller` and `flags` are atomic.
  @usableFromInline final let lock = Lock()
  @exclusivity(unchecked) @usableFromInline final var next: Unmanaged<Dust>?
  @exclusivity(unchecked) @usableFromInline final var previous: Unmanaged<Dust>?

  /// The channel's version when it was linked.
  @exclusivity(unchecked) @usableFromInline final var since = Version()
  @exclusivity(unchecked) @usableFromInline final var channel: AnyChannel?

  /// The thread that is calling the observer, or zero; with `aboutToCall` until the call starts.
  @usableFromInline final let caller = ScheduledAtomic<UInt32>(0)
  @usableFromInline final let flags: ScheduledAtomic<UInt8>

  /// Whether it may have a value that other observers never receive, because theirs counts as equal: it is
  /// called with the next change even if that is none for them. Guarded by the region's lock.
  @exclusivity(unchecked) final var isAhead = false

  /// Whether it is called with the change that is being delivered although that is none for other
  /// observers. Belongs to the deliverer.
  @exclusivity(unchecked) @usableFromInline final var isOwed = false

  @inlinable static var cleaned: UInt8 { 1 }
  @inlinable static var indirect: UInt8 { 2 }
  @inlinable static var aboutToCall: UInt32 { 1 << 31 }

  /// Releases the channel and the closure, once no thread delivers to them any more. It is created
  /// where the type of the values is known, and captures nothing; see `PendingDelivery`.
  @usableFromInline final let releaseContents: @Sendable (Dust) -> Void

  @inlinable init(flags: UInt8 = 0, releaseContents: @escaping @Sendable (Dust) -> Void) {
    self.flags = ScheduledAtomic(flags)
    self.releaseContents = releaseContents
  }

  /// Whether it is cleaned, and no thread has anything left to do for that.
  var isOver: Bool { isCleaned }

  /// Does what each thread that cleans it has to do, even if another is already cleaning it.
  func finishCleaning() {}

  /// Ends the observation.
  ///
  /// After it returns, no call of the observer's closure starts any more, not even for values that
  /// are waiting on a queue. A call that another thread has already started may still be running:
  /// waiting for it to end could take forever, because it may be waiting for something that this
  /// thread holds. You can call `clean()` from any thread, more than once, and inside any observer,
  /// including that of this observation. The closure and what it captures are released immediately
  /// or, while a change is being delivered, behind that.
  ///
  /// - Complexity: O(1). For the last observer of a derived constant, O(n) in the constants and variables that
  ///   only it derives from.
  public final func clean() {
    var yields = Dust.yieldsToCalls
    end()
    // Another thread may have begun to clean it, and not be done yet.
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
  /// A thread that calls writes `caller` and then reads `flags`; a thread that cleans writes
  /// `flags` and then reads `caller`. All four accesses are sequentially consistent, so at least
  /// one of the two threads sees what the other has written: either the call is not made, or it is
  /// waited for. No user code runs between preparing and starting a call, so the wait ends, however
  /// long the other thread is preempted, as long as the scheduler lets it run at all.
  ///
  /// For a call that has started, this yields a limited number of times, so that it has usually
  /// ended when this returns. Nothing depends on that: the closure may not even have been entered.
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

  /// How often a thread that cleans yields to calls that have started.
  static let yieldsToCalls = 100
}

extension Dust {
  /// Announces a call, so that a thread that cleans waits for it. Whether the call may be made must
  /// be checked after this.
  @inlinable final func prepareCall(on thread: CurrentThread) {
    caller.write { $0.store(thread.id | Dust.aboutToCall, ordering: .sequentiallyConsistent) }
  }

  /// Announces that the call starts, so that it is no longer waited for.
  @inlinable final func beginCall(on thread: CurrentThread) {
    // Releasing is enough, as in `endCall`: the store must only not become visible before the check
    // of `flags` was made.
    caller.write { $0.store(thread.id, ordering: .releasing) }
  }

  /// Announces that the call has ended, or is not made.
  @inlinable final func endCall() { caller.write { $0.store(0, ordering: .releasing) } }

  @inlinable final var isCleaned: Bool {
    flags.read { $0.load(ordering: .sequentiallyConsistent) } & Dust.cleaned != 0
  }

  /// Whether the deliverer may call the closure: neither cleaned nor behind a mailbox.
  @inlinable
  final var isDirect: Bool { flags.read { $0.load(ordering: .sequentiallyConsistent) } == 0 }
}
