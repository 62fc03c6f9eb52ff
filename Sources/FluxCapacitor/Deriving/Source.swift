/// One of the constants or variables that a derived constant derives from.
@usableFromInline final class Source<Value: Sendable>: AnySource, @unchecked Sendable {
  /// For an input: what was brought and not taken yet. It answers the first ones of `awaiting`. Of the commits
  /// that one change consists of, only the first one has a value. Guarded by the target's lock.
  @exclusivity(unchecked) @usableFromInline var brought = FIFO<Brought>()

  @usableFromInline typealias Brought = (value: Value?, isChanged: Bool, state: StateID)

  /// For an input: what was taken and not used yet. Belongs to the target's deliverer.
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

  /// The value for a formula to use.
  @inlinable func value(for reading: Reading) -> Value {
    switch reading {
    case .region:
      if target.use({ $0.isFirst }) { return current ?? channel.trapUncomputed() }
      return valueInProgress
    case .evaluation(let evaluation): return evaluation.value(of: channel)
    case .variable(let version):
      // This reading is only used if the source is a variable: see `computeDirectly`.
      let variable = unsafeDowncast(channel, to: ValueChannel<Value>.self)
      variable.acquire()
      defer { variable.lock.unlock() }
      version.pointee = variable.version
      return variable.stored
    }
  }

  /// What the deliverer of the source's region has computed, or delivers.
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
    // Brought even if it isn't another one: the target may have started with a value that is ahead of it.
    let value = valueInProgress
    node.use { $0.region }.use { region in
      target.use { target in
        target.channel.use { $0.lock.lock() }
        // Each of the commits that the change consists of was announced.
        let first =
          region.channel.use { $0.isDerived } ? max(since, region.previous).next : region.version
        var version = first
        while version <= region.version {
          // The target may have been left meanwhile, and even be in use again.
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

/// Where a formula gets the values of its sources.
@usableFromInline enum Reading {
  /// From where the region's deliverer has computed them, or what was brought to the inputs.
  case region

  /// From an evaluation that has them.
  case evaluation(Evaluation)

  /// From the variable that is the only source, and whose version is written to the address.
  case variable(UnsafeMutablePointer<Version>)
}
