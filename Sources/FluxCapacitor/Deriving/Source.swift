/// A constant or variable that a derived constant derives from.
@usableFromInline final class Source<Value: Sendable>: AnySource, @unchecked Sendable {
  /// For an input: the values that were brought and not taken yet. They belong to the first
  /// versions in `awaiting`. If one change consists of several commits, only the first of these has
  /// a value. Guarded by the target's lock.
  @exclusivity(unchecked) @usableFromInline var brought = FIFO<Brought>()

  @usableFromInline typealias Brought = (value: Value?, isChanged: Bool, state: StateID)

  /// For an input: the values that were taken and not used yet. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline var taken = FIFO<Value>()

  /// For an input: the value that the target uses. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline var current: Value?

  @inlinable init<Trait>(_ value: PrimitiveValue<Trait, Value>, isOnly: Bool) {
    super.init(
      value.channel,
      keptBy: value,
      isOnly: isOnly,
      // The closures are only called with the source that owns them.
      (
        bring: { unsafeDowncast($0, to: Source.self).bringValue(on: $1) },
        bringVariable: { unsafeDowncast($0, to: Source.self).bringVariable() },
        take: { unsafeDowncast($0, to: Source.self).takeValue() },
        makeCurrent: { unsafeDowncast($0, to: Source.self).makeTakenCurrent() }
      )
    )
  }

  /// Returns the value for a formula to use.
  @inlinable func value(for reading: Reading) -> Value {
    switch reading {
    case .region:
      if target.use({ $0.isFirst }) { return current ?? channel.trapUncomputed() }
      return valueInProgress
    case .evaluation(let evaluation): return evaluation.value(of: channel)
    case .variable(let version):
      // This reading is only used if the source is a variable; see `computeDirectly`.
      let variable = unsafeDowncast(channel, to: ValueChannel<Value>.self)
      variable.acquire()
      defer { variable.lock.unlock() }
      version.pointee = variable.version
      return variable.stored
    }
  }

  /// The value that the deliverer of the source's region has computed, or is delivering.
  @inlinable var valueInProgress: Value {
    channelReference.use { channel in
      guard channel.isDerived else {
        // The region begins with the variable, and its value is of this type.
        let value = node.use { $0.region.use { $0.value } }
        return value.unsafelyUnwrapped.assumingMemoryBound(to: Value.self).pointee
      }
      return unsafeDowncast(channel, to: DerivedChannel<Value>.self).delivered
        ?? channel.trapUncomputed()
    }
  }

  @inlinable func bringValue(on thread: CurrentThread) {
    let isChanged = node.use { $0.isChanged }
    // An unchanged value is brought too: the target may have started with a value that is ahead of it.
    let value = valueInProgress
    node.use { $0.region }.use { region in
      target.use { target in
        target.channel.use { $0.lock.lock() }
        // Each commit in the change was announced, so the target awaits a value for each.
        let first =
          region.channel.use { $0.isDerived } ? max(since, region.previous).next : region.version
        var version = first
        while version <= region.version {
          // The target may have become inactive meanwhile, and even active again.
          if brought.count < awaiting.count, since < region.version {
            brought.append((version == first ? value : nil, isChanged, region.state))
            target.region.use { $0.didArrive(awaiting[brought.count - 1], on: thread) }
          }
          version = version.next
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
    self.state = state
    if isChanged { self.isChanged = true }
    if let value { taken.append(value) }
  }

  @inlinable func makeTakenCurrent() { while let value = taken.popFirst() { current = value } }

  override func start(from evaluation: Evaluation) {
    current = evaluation.value(of: channel)
    state = evaluation.state(of: node.takeUnretainedValue())
  }

  override func discardValues() -> Any {
    awaiting = FIFO()
    var values: [Value?] = []
    while let brought = brought.popFirst() { values.append(brought.value) }
    return values
  }
}

/// The place from which a formula reads the values of its sources.
@usableFromInline enum Reading {
  /// The values that the region's deliverer has computed or, for inputs, the values that were brought.
  case region

  /// The values in an evaluation.
  case evaluation(Evaluation)

  /// The value of the variable that is the only source. Its version is written to the address.
  case variable(UnsafeMutablePointer<Version>)
}
