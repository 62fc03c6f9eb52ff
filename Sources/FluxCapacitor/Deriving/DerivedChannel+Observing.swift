// How a derived constant comes into use.

extension DerivedChannel {
  /// Takes the value from an evaluation as the one that was delivered last, unless a change may be
  /// ahead of that.
  @inlinable func start(from evaluation: Evaluation) {
    let node = ownNode
    evaluation.find(self)
    var value: Element? = evaluation.value(of: self)
    region.lock.lock()
    if node.isFresh, region.deliverer.isOpen(to: .current) {
      swap(&value, &delivered)
      node.didStart(at: evaluation.state(of: node), edition: evaluation.edition(of: self))
    }
    region.lock.unlock()
    // Released after unlocking, because a deinit may run user code.
    withExtendedLifetime(value) {}
  }
}
