/// An edge from a source (a constant or variable) to a derived constant, for values of a known type.
@usableFromInline final class Source<Value: Sendable>: AnySource, @unchecked Sendable {
  /// The values that were brought to this input and not taken yet. These values belong to the first
  /// versions in `awaiting`. The lock of the target's region guards this queue.
  @exclusivity(unchecked) @usableFromInline var brought = FIFO<Brought>()

  @usableFromInline typealias Brought = (value: Value, isChanged: Bool, state: StateID)

  /// The input's value that was taken from `brought` and not used yet. Only the target's deliverer uses this
  /// property.
  @exclusivity(unchecked) @usableFromInline var taken: Value?

  /// The input's current value, from which the target is computed. Only the target's deliverer uses this
  /// property.
  @exclusivity(unchecked) @usableFromInline var current: Value?

  @inlinable init<Trait>(_ value: PrimitiveValue<Trait, Value>, isOnly: Bool) {
    super.init(
      value.channel,
      keptBy: value,
      isOnly: isOnly,
      // Each closure is called only with the source that owns the closure, so the downcasts are safe.
      (
        bring: { unsafeDowncast($0, to: Source.self).bringValue(on: $1) },
        bringVariable: { unsafeDowncast($0, to: Source.self).bringVariable() },
        take: { unsafeDowncast($0, to: Source.self).takeValue() },
        makeCurrent: { unsafeDowncast($0, to: Source.self).makeTakenCurrent() }
      )
    )
  }

  /// Returns the source's value for use in a formula.
  @inlinable func value(for reading: Reading) -> Value {
    switch reading {
    case .region:
      if target.use({ $0.beginsRegion }) { return current ?? channel.trapUncomputed() }
      return valueInProgress
    case .evaluation(let evaluation): return evaluation.value(of: channel)
    case .variable(let version):
      // A formula receives `.variable` only if its only source is a variable; see `computeDirectly`.
      let variable = unsafeDowncast(channel, to: ValueChannel<Value>.self)
      variable.acquire()
      defer { variable.lock.unlock() }
      version.pointee = variable.version
      return variable.stored
    }
  }

  /// The value that the deliverer of the source's region has computed or is delivering.
  @inlinable var valueInProgress: Value {
    channelReference.use { channel in
      guard channel.isDerived else {
        // The source's region begins with a variable of this element type, so the region's address
        // points to that variable's value.
        let value = node.use { $0.region.use { $0.value } }
        return value.unsafelyUnwrapped.assumingMemoryBound(to: Value.self).pointee
      }
      return unsafeDowncast(channel, to: DerivedChannel<Value>.self).delivered
        ?? channel.trapUncomputed()
    }
  }

  @inlinable func bringValue(on thread: CurrentThread) {
    // If the source was linked after the change, the target started with the change.
    guard node.use({ $0.takesPart }) else { return }
    let isChanged = node.use { $0.isChanged }
    // Even an unchanged value is passed to the target, because the target might have started with a
    // newer value.
    let value = valueInProgress
    node.use { $0.region }.use { region in
      target.use { target in
        target.channel.use { $0.lock.lock() }
        // The target awaits no value if it was linked after the change. During the computation, another
        // thread might have deactivated the target, and might even have activated it again.
        if brought.count < awaiting.count, since < region.version {
          brought.append((value, isChanged, region.state))
          target.region.use { $0.didArrive(awaiting[brought.count - 1], on: thread) }
        }
        target.channel.use { $0.lock.unlock() }
      }
    }
  }

  @inlinable func bringVariable() {
    channelReference.use { channel in
      let variable = unsafeDowncast(channel, to: ValueChannel<Value>.self)
      brought.append((variable.stored, true, StateID(variable.version)))
    }
  }

  @inlinable func takeValue() {
    guard let (value, isChanged, state) = brought.popFirst() else { return }
    (taken, self.isChanged, self.state) = (value, isChanged, state)
  }

  @inlinable func makeTakenCurrent() { if let value = taken.take() { current = value } }

  override func start(from evaluation: Evaluation) {
    current = evaluation.value(of: channel)
    state = evaluation.state(of: node.takeUnretainedValue())
  }

  override func discardValues() -> Any {
    awaiting = FIFO()
    var values: [Value] = []
    while let brought = brought.popFirst() { values.append(brought.value) }
    return values
  }
}
