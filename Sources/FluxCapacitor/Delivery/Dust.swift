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

  /// The channel's version at the time of the subscription.
  @exclusivity(unchecked) @usableFromInline final var since: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline final var channel: AnyChannel?

  /// The thread that is calling the observer, or zero; with a mark while it is only about to.
  @usableFromInline final let caller = Atomic<UInt32>(0)
  @usableFromInline final let flags: Atomic<UInt8>

  @inlinable static var cleaned: UInt8 { 1 }
  @inlinable static var indirect: UInt8 { 2 }
  @inlinable static var input: UInt8 { 4 }
  @inlinable static var aboutToCall: UInt32 { 1 << 31 }

  /// Lets go of the channel and of the closure, now that nobody delivers to them any more. It is made
  /// where the type of the values is known, and captures nothing; see `Delivery`.
  @usableFromInline final let releaseContents: @Sendable (Dust) -> Void

  @inlinable
  init(isDirect: Bool, releaseContents: @escaping @Sendable (Dust) -> Void) {
    flags = Atomic(isDirect ? 0 : Dust.indirect)
    self.releaseContents = releaseContents
  }

  @usableFromInline
  init(inputReleasedBy releaseContents: @escaping @Sendable (Dust) -> Void) {
    flags = Atomic(Dust.input)
    self.releaseContents = releaseContents
  }

  /// Whether it is cleaned, and nobody has anything left to do about that.
  var isOver: Bool { isCleaned }

  /// Does what whoever cleans it has to do, even if another thread is cleaning it already.
  func didClean() {}

  /// How many observers it stands for.
  var observerCount: Int { 1 }

  /// Ends the observation.
  ///
  /// After it returns, no call of the observer's closure starts any more, not even for values that
  /// are waiting on a queue. A call that another thread has already started may still be running:
  /// waiting for it to end could take forever, because it may be waiting for something that this
  /// thread holds. You can call `clean()` from any thread, more than once, and inside any observer,
  /// including that of this observation. The closure and what it captures are released immediately
  /// or, inside a call, when that has ended.
  ///
  /// - Complexity: O(1).
  public final func clean() {
    var courtesy = Dust.courtesy
    end()
    letCallsStart(&courtesy)
  }

  /// Ends the observation, but a call of the observer may be about to start.
  final func end() {
    lock.schedulePoint(.write)
    let (flags, _) = flags.bitwiseOr(Dust.cleaned, ordering: .sequentiallyConsistent)
    guard flags & Dust.cleaned == 0 else { return }
    if let channel = lock.withLock({ channel }) {
      channel.remove(self)
    } else {
      releaseContents(self)
    }
  }

  /// Waits until no other thread is about to call the observer.
  ///
  /// Who calls writes `caller`, and then reads `flags`; who cleans writes `flags`, and then reads `caller`.
  /// All four are sequentially consistent: so one of them sees what the other has written, and either the
  /// call is not made or it is waited for. No code of the user's runs before it starts, so that the wait
  /// has an end, however long the other thread is put off the processor.
  ///
  /// A call that has started is let run on for some turns of the processor, so that it has mostly ended
  /// when this returns. That is a courtesy, on which nothing rests: it may have yet to make its first step.
  final func letCallsStart(_ turns: inout Int) {
    let thread = CurrentThread.current
    while case let caller = caller(besides: thread), caller != 0 {
      if caller & Dust.aboutToCall == 0 { turns -= 1 }
      guard turns > 0, thread.yieldProcessor() else { return }
    }
  }

  /// How many turns who cleans gives to calls that have started.
  static let courtesy = 10_000

  /// A thread other than this one that is calling the observer, or about to and marked so; or zero.
  private final func caller(besides thread: CurrentThread) -> UInt32 {
    lock.schedulePoint(.read)
    let caller = caller.load(ordering: .sequentiallyConsistent)
    return caller & ~Dust.aboutToCall == thread.id ? 0 : caller
  }
}

extension Dust {
  /// Says that a call may be about to start, which whoever cleans waits for; whether it may is to be
  /// looked at behind this.
  @inlinable
  final func prepareCall(on thread: CurrentThread) {
    lock.schedulePoint(.write)
    caller.store(thread.id | Dust.aboutToCall, ordering: .sequentiallyConsistent)
  }

  /// Says that the call starts, for which nothing is left to do.
  @inlinable
  final func beginCall(on thread: CurrentThread) {
    lock.schedulePoint(.write)
    // Releasing is enough, as it is for the end: who reads it must only not take it for earlier than the
    // look at `flags`.
    caller.store(thread.id, ordering: .releasing)
  }

  /// Says that the call has ended, or that there is none.
  @inlinable
  final func endCall() {
    lock.schedulePoint(.write)
    caller.store(0, ordering: .releasing)
  }

  @inlinable
  final var isCleaned: Bool {
    lock.schedulePoint(.read)
    return flags.load(ordering: .sequentiallyConsistent) & Dust.cleaned != 0
  }

  /// Whether this is a derived constant's observation of its source. Relaxed, for it never changes.
  @inlinable
  final var isInput: Bool { flags.load(ordering: .relaxed) & Dust.input != 0 }

  /// Marks an input as taken out, for the deliverer to do it. Who looks at inputs, and who marks them, holds
  /// the channel's lock, which orders all else: releasing is more than enough.
  final func markAsCleaned() {
    lock.schedulePoint(.write)
    flags.bitwiseOr(Dust.cleaned, ordering: .releasing)
  }

  /// Whether the deliverer may call the closure: neither cleaned nor behind a mailbox.
  @inlinable
  final var isDirect: Bool {
    lock.schedulePoint(.read)
    return flags.load(ordering: .sequentiallyConsistent) == 0
  }

  /// Puts the closure behind the mailbox. Relaxed, for nobody else knows the observation yet.
  @inlinable
  final func leaveDirect() {
    flags.store(Dust.indirect, ordering: .relaxed)
  }

  /// Takes the closure out from behind the mailbox, under `lock`. Releasing, so that who finds it direct finds
  /// done what was done behind the mailbox; who finds it indirect asks again under the lock.
  @inlinable
  final func becomeDirect() {
    lock.schedulePoint(.write)
    flags.bitwiseAnd(~Dust.indirect, ordering: .releasing)
  }
}
