/// A channel whose value is computed from those of others, by a subclass in a layer above.
@usableFromInline class ComputedChannel<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  /// Computes the value from the current values of the variables. A closure rather than a virtual
  /// method, which would always run unspecialized. It captures nothing; see `PendingDelivery`.
  @usableFromInline let compute: @Sendable (ComputedChannel) -> Element

  @usableFromInline init(compute: @escaping @Sendable (ComputedChannel) -> Element) {
    self.compute = compute
    super.init(isDerived: true)
  }

  /// Subscribes an observation, which is called with the value first unless `ignoreFirst`.
  @usableFromInline
  func subscribeObserver(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {}

  /// The value, for a tracker that must be told when that is no longer the value. A subclass notes whether the
  /// tracker is ahead.
  func value(andNoteIfAhead tracker: Dust) -> Element { compute(self) }
}

// As a method of `Channel`: see those of `ValueChannel`.
extension Channel {
  @inlinable final func computedValue() -> Element { computed.compute(computed) }

  /// This channel, which must be derived.
  @inlinable final var computed: ComputedChannel<Element> {
    unsafeDowncast(self, to: ComputedChannel<Element>.self)
  }
}
