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
}

// As a method of `Channel`: see those of `ValueChannel`.
extension Channel {
  @inlinable
  final func computedValue() -> Element {
    let channel = unsafeDowncast(self, to: ComputedChannel<Element>.self)
    return channel.compute(channel)
  }
}
