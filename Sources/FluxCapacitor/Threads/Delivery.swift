/// A place in a thread's round: a channel, and how it is to tell what has its place there.
///
/// It owns one reference to the channel, which `perform` gives up: each is performed once.
@usableFromInline
struct Delivery {
  @usableFromInline let channel: Unmanaged<AnyChannel>

  /// The transaction, or the version, of what is told.
  @usableFromInline let mark: UInt64

  /// A virtual method would do, but one of a generic class always runs unspecialised, which takes ten
  /// times as long; this closure is made where the type is known. It captures nothing.
  @usableFromInline let deliver: @Sendable (AnyChannel, UInt64, CurrentThread) -> Void

  #if DEBUG
    /// How many observers have led to it, each by what it set when it was told what the one before set.
    @usableFromInline var depth = 0
  #endif

  @inlinable
  init(
    of channel: AnyChannel,
    at mark: UInt64,
    by deliver: @escaping @Sendable (AnyChannel, UInt64, CurrentThread) -> Void
  ) {
    self.channel = .passRetained(channel)
    self.mark = mark
    self.deliver = deliver
  }

  @inlinable
  func perform(on thread: CurrentThread) {
    channel._withUnsafeGuaranteedRef { deliver($0, mark, thread) }
    channel.release()
  }
}
