/// A place in a thread's round: a channel, and how it delivers the change.
///
/// It owns one reference to the channel, which `perform` releases: perform each exactly once.
@usableFromInline
struct PendingDelivery {
  /// The channel, whose type is in a layer above.
  @usableFromInline let target: Unmanaged<AnyObject>

  /// The transaction, or the version, of the change.
  @usableFromInline let mark: UInt64

  /// A closure rather than a virtual method, which in a generic class always runs unspecialized and
  /// takes ten times as long. It is created where the type is known and, except in `afterMutation`,
  /// captures nothing, so it allocates nothing.
  @usableFromInline let deliver: @Sendable (AnyObject, UInt64, CurrentThread) -> Void

  #if DEBUG
    /// The length of the chain of observers that led to this change, each of which set something
    /// when it was called with what the previous one had set.
    @usableFromInline var depth = CurrentThread.current.pointee.depth
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

  func perform(on thread: CurrentThread) {
    target._withUnsafeGuaranteedRef { deliver($0, mark, thread) }
    target.release()
  }
}
