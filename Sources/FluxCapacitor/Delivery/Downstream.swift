/// How a channel reaches what derives from it. Deriving is a layer above.
///
/// The closures are created where the type is known, and capture nothing; see `PendingDelivery`.
@usableFromInline
final class Downstream<Element: Sendable>: Sendable {
  /// Invalidates everything that derives from the channel, whose lock must be held.
  @usableFromInline let invalidate:
    @Sendable (Channel<Element>, _ change: UInt64, _ isMoved: Bool, CurrentThread) -> Void

  /// Delivers a change to the inputs, which come before all other observations. Returns the first
  /// observation that isn't an input, and whether some have claimed the change, for
  /// `deliverClaimed`. No lock may be held.
  @usableFromInline let receive:
    @Sendable (Channel<Element>, Element, _ version: UInt64, Stretch, CurrentThread) -> (
      rest: Unmanaged<Dust>?, hasClaimed: Bool
    )

  /// Delivers what was claimed, behind the channel's own observers.
  @usableFromInline let deliverClaimed:
    @Sendable (Channel<Element>, Element, _ version: UInt64, Stretch, CurrentThread) -> Void

  /// A part of the ring of observations.
  @usableFromInline typealias Stretch = (first: Unmanaged<Dust>, last: Unmanaged<Dust>?)

  @inlinable
  init(
    invalidate: @escaping @Sendable (Channel<Element>, UInt64, Bool, CurrentThread) -> Void,
    receive:
      @escaping @Sendable (Channel<Element>, Element, UInt64, Stretch, CurrentThread) -> (
        rest: Unmanaged<Dust>?, hasClaimed: Bool
      ),
    deliverClaimed:
      @escaping @Sendable (Channel<Element>, Element, UInt64, Stretch, CurrentThread) -> Void
  ) {
    self.invalidate = invalidate
    self.receive = receive
    self.deliverClaimed = deliverClaimed
  }
}
