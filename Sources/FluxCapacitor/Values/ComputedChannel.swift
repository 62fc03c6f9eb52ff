/// A channel whose value is computed from other values, by a subclass in a layer above.
@usableFromInline class ComputedChannel<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  /// Computes the value from the current values of the variables. It is a closure, because a
  /// virtual method of a generic class always runs unspecialized. It captures nothing; see
  /// `PendingDelivery`.
  @usableFromInline let compute: @Sendable (ComputedChannel) -> Element

  @usableFromInline init(compute: @escaping @Sendable (ComputedChannel) -> Element) {
    self.compute = compute
    super.init(isDerived: true)
  }

  /// Subscribes an observation, and calls it with the value first unless `ignoreFirst` is true.
  @usableFromInline
  func subscribeObserver(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {}

  /// Returns the value that a tracker stands for. The tracker must be called when the value
  /// changes, so a subclass notes whether the tracker is ahead.
  func value(andNoteIfAhead tracker: Dust) -> Element { compute(self) }
}

// These are methods of `Channel` for the reason given in ValueChannel.swift.
extension Channel {
  @inlinable final func computedValue() -> Element { computed.compute(computed) }

  /// This channel, which must be derived.
  @inlinable final var computed: ComputedChannel<Element> {
    unsafeDowncast(self, to: ComputedChannel<Element>.self)
  }
}
