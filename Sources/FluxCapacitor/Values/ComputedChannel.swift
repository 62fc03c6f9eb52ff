/// A channel whose value is computed from those of others, by a subclass in a layer above.
@usableFromInline
class ComputedChannel<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  /// Computes the value from the current values of the variables. A closure rather than a virtual
  /// method, which would always run unspecialized. It captures nothing; see `PendingDelivery`.
  @usableFromInline let compute: @Sendable (ComputedChannel) -> Element

  @usableFromInline
  init(compute: @escaping @Sendable (ComputedChannel) -> Element) {
    self.compute = compute
    super.init(isDerived: true)
  }

  /// Subscribes an observation, which is called with the current value first unless `ignoreFirst`.
  @usableFromInline
  func add(_ observation: Observation<Element>, on queue: ExecuteQueue, ignoreFirst: Bool) {
    trap("\(self) computes nothing.")
  }

  /// The value, for an observer that must be called with the next change after it. If the value is
  /// from the middle of a transaction, other observers may not be called with that change.
  func value(rejoining observer: Dust) -> Element {
    trap("\(self) computes nothing.")
  }
}

// The operations of a computed channel, as methods of `Channel`: see those of `ValueChannel`.
extension Channel {
  @inlinable
  final func computedValue() -> Element {
    let channel = unsafeDowncast(self, to: ComputedChannel<Element>.self)
    return channel.compute(channel)
  }

  @inlinable
  final func addToComputed(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {
    unsafeDowncast(self, to: ComputedChannel<Element>.self)
      .add(observation, on: queue, ignoreFirst: ignoreFirst)
  }

  final func computedValue(rejoining observer: Dust) -> Element {
    unsafeDowncast(self, to: ComputedChannel<Element>.self).value(rejoining: observer)
  }
}
