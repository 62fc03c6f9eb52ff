extension Derived {
  /// Subscribes an observation, which is told the value first if it asks for it.
  @usableFromInline
  func add(_ observation: Observation<Element>, on queue: ExecuteQueue, ignoreFirst: Bool) {
    let thread = CurrentThread.current
    if !ignoreFirst { observation.prepareForFirst(on: thread) }
    ownDerivation.lockRootsBetweenTurns(on: thread)
    for root in ownDerivation.roots { root.channel.willJoinDownstream() }
    let activated = activate(on: thread)
    lock.lock()
    link(observation)
    lock.unlock()
    let isNeeded = !ignoreFirst || activated.contains { $0.derivation?.isChain == false }
    let evaluation = isNeeded ? Evaluation(of: ownDerivation) : nil
    let state = ownDerivation.state
    ownDerivation.unlockRoots()

    for channel in activated { channel.start(from: evaluation, at: state, on: thread) }
    if !ignoreFirst, let evaluation {
      evaluation.find(self)
      observation.start(first: evaluation.value(of: self), on: queue, thread)
    }
    thread.settle()
  }
}

// What is done with a derived channel that is known as a channel only; see the same of cells.
extension Channel {
  @inlinable
  final func derivedValue() -> Element {
    unsafeDowncast(self, to: Derived<Element>.self).currentValue()
  }

  @usableFromInline
  final func addToDerived(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {
    unsafeDowncast(self, to: Derived<Element>.self)
      .add(observation, on: queue, ignoreFirst: ignoreFirst)
  }
}

/// Where a formula takes the values of its sources from.
@usableFromInline
enum Reading {
  /// From what has come in: for the deliverer.
  case told

  /// From an evaluation that knows them.
  case evaluation(Evaluation)

  /// From the variable that is the only source; its version is written to the address.
  case variable(UnsafeMutablePointer<UInt64>)
}
