import Dispatch
import Synchronization

/// One observation: what `observe` returns, to end it with.
///
/// An observation lasts until `clean()` is called, on this Dust or through the ``DustBuster`` that it
/// was put into, or until every variable and constant that leads to the value is gone. Letting go of
/// the Dust does not end it.
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
  @usableFromInline final let letGo: @Sendable (Dust) -> Void

  @inlinable
  init(isDirect: Bool, letGo: @escaping @Sendable (Dust) -> Void) {
    flags = Atomic(isDirect ? 0 : Dust.indirect)
    self.letGo = letGo
  }

  @usableFromInline
  init(inputThatLetsGoBy letGo: @escaping @Sendable (Dust) -> Void) {
    flags = Atomic(Dust.input)
    self.letGo = letGo
  }

  /// Ends the observation.
  ///
  /// After it returns, no call of the observer's closure starts any more, not even for values that
  /// wait on a queue. A call that is under way on another thread is given up to about 20 ms to end,
  /// and may still be finishing after that. `clean()` may be called from any thread, more than once,
  /// and inside any observer: of this observation too. The closure and what it holds is released at
  /// once or, inside a call, when that has ended.
  ///
  /// - Complexity: O(1).
  public final func clean() {
    if end() { Dust.letCallsStart(of: CollectionOfOne(self)) }
  }

  /// Ends the observation; answers whether another thread may be about to call the observer.
  final func end() -> Bool {
    let (flags, _) = flags.bitwiseOr(Dust.cleaned, ordering: .acquiringAndReleasing)
    var isBeingTold = false
    if flags & Dust.cleaned == 0 {
      if let channel = lock.withLock({ channel }) {
        isBeingTold = channel.remove(self)
      } else {
        letGo(self)
      }
    }
    return isBeingTold || caller(besides: CurrentThread.current) != 0
  }

  /// A thread other than this one that is calling the observer, or about to and marked so; or zero.
  private func caller(besides thread: CurrentThread) -> UInt32 {
    let caller = caller.load(ordering: .acquiring)
    return caller & ~Dust.aboutToCall == thread.id ? 0 : caller
  }

  /// Gives another thread that is about to call one of the observers the time to begin.
  ///
  /// Between the decision and the call there is no code of the user's, so that the wait for it has an
  /// end, however long the other thread is put off the processor. Waiting for the end of a call would
  /// be a deadlock in the making, for it may want what this thread holds; that wait is 20 ms in all.
  static func letCallsStart(of dusts: some Collection<Dust>) {
    let thread = CurrentThread.current
    let start = DispatchTime.now().uptimeNanoseconds
    // What a deliverer has written to `caller` takes a moment to be seen here, less than 1 µs.
    while DispatchTime.now().uptimeNanoseconds < start + 1_000 {}
    for dust in dusts {
      while case let caller = dust.caller(besides: thread), caller != 0 {
        let isAboutTo = caller & Dust.aboutToCall != 0
        if !isAboutTo, DispatchTime.now().uptimeNanoseconds > start + 20_000_000 { break }
        thread.yieldProcessor()
      }
    }
  }

  /// Puts this Dust into a bag, which cleans it when the bag is cleaned or goes away.
  ///
  /// - Complexity: O(1), amortised.
  public final func cleaned(by dustBuster: DustBuster) {
    dustBuster.insert(self)
  }
}

extension Dust {
  /// Says that a call is about to start, which whoever cleans gives time to.
  @inlinable
  final func prepareCall(on thread: CurrentThread) {
    caller.store(thread.id | Dust.aboutToCall, ordering: .relaxed)
  }

  /// Says that the call starts: nothing is left to do before it.
  @inlinable
  final func beginCall(on thread: CurrentThread) {
    caller.store(thread.id, ordering: .releasing)
  }

  @inlinable
  final func endCall() {
    caller.store(0, ordering: .releasing)
  }

  @inlinable
  final var isCleaned: Bool { flags.load(ordering: .acquiring) & Dust.cleaned != 0 }

  /// Whether this is a derived constant's observation of its source.
  @inlinable
  final var isInput: Bool { flags.load(ordering: .relaxed) & Dust.input != 0 }

  /// Marks an input as taken out, for the deliverer to do it.
  final func markAsCleaned() {
    flags.bitwiseOr(Dust.cleaned, ordering: .releasing)
  }

  /// Whether the deliverer may call the closure: neither cleaned nor behind a mailbox.
  @inlinable
  final var isDirect: Bool { flags.load(ordering: .acquiring) == 0 }

  /// Puts the closure behind the mailbox; nobody else knows the observation yet.
  @inlinable
  final func leaveDirect() {
    flags.store(Dust.indirect, ordering: .relaxed)
  }

  @inlinable
  final func becomeDirect() {
    flags.bitwiseAnd(~Dust.indirect, ordering: .releasing)
  }
}
