/// A channel whose value is computed from those of others. How is a layer above: a subclass.
@usableFromInline
class ComputedChannel<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  /// Computes the value at the present state of the variables. A virtual method would always run
  /// unspecialised; this closure is made where the type is known. It captures nothing; see `Delivery`.
  @usableFromInline let compute: @Sendable (ComputedChannel) -> Element

  @usableFromInline
  init(compute: @escaping @Sendable (ComputedChannel) -> Element) {
    self.compute = compute
    super.init(isDerived: true)
  }

  /// Subscribes an observation, which is called with the value first if it asks for that.
  @usableFromInline
  func add(_ observation: Observation<Element>, on queue: ExecuteQueue, ignoreFirst: Bool) {
    trap("\(self) computes nothing.")
  }

  /// The value, for an observer that is to be called with the next change after that: even if it is none
  /// for others, when what is read is of the midst of a transaction.
  func value(rejoining observer: Dust) -> Element {
    trap("\(self) computes nothing.")
  }
}

// What is done with a computed channel that is known as a channel only; see the same of `ValueChannel`.
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
