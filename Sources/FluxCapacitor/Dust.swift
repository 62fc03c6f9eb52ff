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
  // thread that delivers; `channel` is guarded by `lock`; `isAboutToCall` and `flags` are atomic.
  @usableFromInline final let lock = Lock()
  @exclusivity(unchecked) @usableFromInline final var next: Unmanaged<Dust>?
  @exclusivity(unchecked) @usableFromInline final var previous: Unmanaged<Dust>?

  /// The channel's version at the time of the subscription.
  @exclusivity(unchecked) @usableFromInline final var since: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline final var channel: AnyChannel?

  /// Whether a thread has decided to call the observer, or is about to look whether it may.
  @usableFromInline final let isAboutToCall = Atomic(false)
  @usableFromInline final let flags: Atomic<UInt8>

  @inlinable static var cleaned: UInt8 { 1 }
  @inlinable static var indirect: UInt8 { 2 }
  @inlinable static var input: UInt8 { 4 }

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
  /// wait on a queue. A call that another thread has started before may still be under way: waiting for
  /// its end could last for ever, for it may want what this thread holds. `clean()` may be called from any
  /// thread, more than once, and inside any observer: of this observation too. The closure and what it
  /// holds is released at once or, inside a call, when that has ended.
  ///
  /// - Complexity: O(1).
  public final func clean() {
    end()
    waitUntilNobodyIsAboutToCall()
  }

  /// Ends the observation, but a call of the observer may be about to start.
  final func end() {
    lock.schedulePoint(.write)
    let (flags, _) = flags.bitwiseOr(Dust.cleaned, ordering: .sequentiallyConsistent)
    guard flags & Dust.cleaned == 0 else { return }
    if let channel = lock.withLock({ channel }) {
      channel.remove(self)
    } else {
      letGo(self)
    }
  }

  /// Lets a thread start its call that was about to when this was cleaned.
  ///
  /// Who calls writes `isAboutToCall`, and then reads `flags`; who cleans writes `flags`, and then reads
  /// `isAboutToCall`. All four are sequentially consistent: so one of them sees what the other has
  /// written, and either the call is not made or it is waited for. No code of the user's runs between the
  /// two and the call, so that the wait has an end, however long the thread is put off the processor.
  final func waitUntilNobodyIsAboutToCall() {
    while isSomebodyAboutToCall { CurrentThread.current.yieldProcessor() }
  }

  private final var isSomebodyAboutToCall: Bool {
    lock.schedulePoint(.read)
    return isAboutToCall.load(ordering: .sequentiallyConsistent)
  }

  /// Puts this Dust into a bag, which cleans it when the bag is cleaned or goes away.
  ///
  /// - Complexity: O(1), amortised.
  public final func cleaned(by dustBuster: DustBuster) {
    dustBuster.insert(self)
  }
}

extension Dust {
  /// Says that a call may be about to start, which whoever cleans waits for; whether it may is to be
  /// looked at behind this.
  @inlinable
  final func prepareCall() {
    lock.schedulePoint(.write)
    isAboutToCall.store(true, ordering: .sequentiallyConsistent)
  }

  /// Says that the call starts, for which nothing is left to do, or that there is none.
  @inlinable
  final func endPreparation() {
    lock.schedulePoint(.write)
    // Who reads this goes on without what was done before; nothing is handed over by it but the look
    // at `flags`, which must not move behind it.
    isAboutToCall.store(false, ordering: .releasing)
  }

  @inlinable
  final var isCleaned: Bool {
    lock.schedulePoint(.read)
    return flags.load(ordering: .sequentiallyConsistent) & Dust.cleaned != 0
  }

  /// Whether this is a derived constant's observation of its source.
  @inlinable
  final var isInput: Bool { flags.load(ordering: .relaxed) & Dust.input != 0 }

  /// Marks an input as taken out, for the deliverer to do it.
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

  /// Puts the closure behind the mailbox; nobody else knows the observation yet.
  @inlinable
  final func leaveDirect() {
    flags.store(Dust.indirect, ordering: .relaxed)
  }

  @inlinable
  final func becomeDirect() {
    lock.schedulePoint(.write)
    flags.bitwiseAnd(~Dust.indirect, ordering: .releasing)
  }
}
