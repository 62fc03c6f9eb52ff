/// A channel whose value is computed from other values. Its subclass is in a later folder.
@usableFromInline class ComputedChannel<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  /// Computes the value from the current values of the variables. This property is a closure, because a
  /// virtual method of a generic class always runs unspecialized. The closure captures nothing; see
  /// `PendingDelivery`.
  @usableFromInline let compute: @Sendable (ComputedChannel) -> Element

  /// The first of the variables that the value is computed from, which the subclass sets once and keeps alive.
  @exclusivity(unchecked) @usableFromInline final var root: Unmanaged<AnyChannel>!

  @usableFromInline init(compute: @escaping @Sendable (ComputedChannel) -> Element) {
    self.compute = compute
    super.init(handles: AnyChannel.derived | 1)
  }

  /// Does nothing, because the channel continues to call its observers without a handle.
  override func close() {}

  /// Subscribes an observation. Unless `ignoreFirst` is true, the observer is first called with the
  /// current value.
  @usableFromInline
  func subscribeObserver(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {}

  /// Reports a read of all variables that the value is computed from, except for `root`, to Observation.
  @usableFromInline func trackReadOfOtherRoots() {}
}

// The members below belong to `Channel`, not to a subclass; `ValueChannel.swift` gives the reason.
extension Channel {
  @inlinable final func computedValue() -> Element {
    recordOperation("reads", self)
    // Observation tracks either all reads of this thread or none of them.
    if computed.root.use({ $0.trackRead() }) { computed.trackReadOfOtherRoots() }
    let value = computed.compute(computed)
    recordOperation("reads", self, value)
    return value
  }

  /// This channel as a computed channel. The channel must be derived.
  @inlinable final var computed: ComputedChannel<Element> {
    unsafeDowncast(self, to: ComputedChannel<Element>.self)
  }
}
