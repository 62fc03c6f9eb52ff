/// A place in a thread's round: a channel, and how it delivers what has its place there.
///
/// It owns one reference to the channel, which `perform` gives up: each is performed once.
@usableFromInline
struct Delivery {
  /// The channel, which is a layer above.
  @usableFromInline let target: Unmanaged<AnyObject>

  /// The transaction, or the version, of what is delivered.
  @usableFromInline let mark: UInt64

  /// A virtual method would do, but one of a generic class always runs unspecialised, which takes ten
  /// times as long; this closure is made where the type is known. It captures nothing.
  @usableFromInline let deliver: @Sendable (AnyObject, UInt64, CurrentThread) -> Void

  #if DEBUG
    /// How many observers have led to it, each by what it set when it was called with what the one
    /// before had set.
    @usableFromInline var depth = 0
  #endif

  @inlinable
  init(
    to target: AnyObject,
    at mark: UInt64,
    by deliver: @escaping @Sendable (AnyObject, UInt64, CurrentThread) -> Void
  ) {
    self.target = .passRetained(target)
    self.mark = mark
    self.deliver = deliver
  }

  @inlinable
  func perform(on thread: CurrentThread) {
    target._withUnsafeGuaranteedRef { deliver($0, mark, thread) }
    target.release()
  }
}
