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
  // thread that delivers; `channel` is guarded by `lock`; `flags` is atomic.
  @usableFromInline final let lock = Lock()
  @exclusivity(unchecked) @usableFromInline final var next: Unmanaged<Dust>?
  @exclusivity(unchecked) @usableFromInline final var previous: Unmanaged<Dust>?

  /// The channel's version at the time of the subscription.
  @exclusivity(unchecked) @usableFromInline final var since: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline final var channel: AnyChannel?
  @usableFromInline final let flags: Atomic<UInt8>

  @usableFromInline static var cleaned: UInt8 { 1 }
  @usableFromInline static var indirect: UInt8 { 2 }

  @usableFromInline
  init(isDirect: Bool) {
    flags = Atomic(isDirect ? 0 : Dust.indirect)
  }

  /// Ends the observation.
  ///
  /// After it returns, no call of the observer's closure starts any more, not even for values that
  /// wait on a queue; a call that another thread has started before may still be finishing. It may be
  /// called from any thread, more than once, and inside any observer: of this observation too. The
  /// closure and what it holds is released at once or, inside a call, when that has ended.
  ///
  /// - Complexity: O(1).
  public final func clean() {
    let (flags, _) = flags.bitwiseOr(Dust.cleaned, ordering: .acquiringAndReleasing)
    guard flags & Dust.cleaned == 0 else { return }
    if let channel = lock.withLock({ channel }) {
      channel.remove(self)
    } else {
      detach()
    }
  }

  /// Puts this Dust into a bag, which cleans it when the bag is cleaned or goes away.
  ///
  /// - Complexity: O(1), amortised.
  public final func cleaned(by dustBuster: DustBuster) {
    dustBuster.insert(self)
  }

  /// Lets go of the channel and, if it was cleaned, of the closure; nobody delivers to it any more.
  @usableFromInline
  func detach() {
    trap("\(Self.self) observes nothing.")
  }
}

extension Dust {
  @inlinable
  final var isCleaned: Bool { flags.load(ordering: .acquiring) & Dust.cleaned != 0 }

  /// Whether the deliverer may call the closure: neither cleaned nor behind a mailbox.
  @inlinable
  final var isDirect: Bool { flags.load(ordering: .acquiring) == 0 }

  @inlinable
  final func leaveDirect() {
    flags.bitwiseOr(Dust.indirect, ordering: .releasing)
  }

  @inlinable
  final func becomeDirect() {
    flags.bitwiseAnd(~Dust.indirect, ordering: .releasing)
  }
}
