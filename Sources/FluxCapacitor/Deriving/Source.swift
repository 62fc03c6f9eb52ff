/// An edge of the graph of derived constants, for values of any type.
///
/// An edge leads from a *source* (a variable or constant) to a *target* (a constant that derives from
/// the source). While the target is active, the edge is linked.
///
/// A *region* is a channel and the constants that derive from that channel alone. If source and target
/// belong to the same region, the target reads the value that the region's deliverer has computed. If
/// the target begins a region, the edge is an *input*, in which values wait until the target is
/// computed. An input that reads a variable receives the value when a change is announced. An input that
/// reads a constant receives the value when the deliverer of the constant's region has computed this
/// value.
@usableFromInline class AnySource: ChangeListener, @unchecked Sendable {
  /// The channel of the source. `handle` keeps the channel alive.
  @usableFromInline final let channelReference: Unmanaged<AnyChannel>

  @inlinable final var channel: AnyChannel { channelReference.takeUnretainedValue() }

  /// The factor by which the source's state is multiplied in the target's state. The factor is 1 for a
  /// target's only source, as in `map` and `removeDuplicates`. If a target has several sources, as in
  /// `combine`, each factor is random.
  @usableFromInline final let weight: StateID

  /// The variable or constant that owns the channel, retained to keep the channel alive.
  private final var handle: AnyObject?

  /// The target's node, which sets this reference once. The reference is unretained, because the formula
  /// of the target's channel owns the source.
  @exclusivity(unchecked) @usableFromInline final var target: Unmanaged<Node>!

  /// The node of the source's channel, set when the source is linked. The channel owns the node.
  @exclusivity(unchecked) @usableFromInline final var node: Unmanaged<Node>!

  /// The version of the channel's region when the source was linked. Only changes with later versions
  /// reach the target. A thread writes this version under the locks of the channel's region and the
  /// target's region.
  @exclusivity(unchecked) @usableFromInline final var since = Version()

  // Inputs

  /// Whether an open transaction had written the value with which the input started. The transaction might
  /// restore the old value, so the next value counts as changed. The lock of the target's region guards this
  /// flag.
  final var isAhead = false

  /// The versions of the pending changes for which the target has not taken this input's value yet, in
  /// order. The lock of the target's region guards this queue.
  @exclusivity(unchecked) @usableFromInline final var awaiting = FIFO<Version>()

  /// The state of the variables that the input's current value was computed from. Only the target's
  /// deliverer uses this property.
  @exclusivity(unchecked) @usableFromInline final var state = StateID.zero

  /// Whether the change in progress has a new value for this input. Only the target's deliverer uses
  /// this property.
  @exclusivity(unchecked) @usableFromInline final var isChanged = false

  let operations: Operations

  /// Closures that are created in code that knows the type of the values; see `PendingDelivery`.
  @usableFromInline typealias Operations = (
    /// Brings the constant's computed value to the target.
    bring: @Sendable (AnySource, CurrentThread) -> Void,

    /// Brings the variable's value to the target. The caller must hold the locks of the variable and of
    /// the target's region.
    bringVariable: @Sendable (AnySource) -> Void,

    /// Moves the input's first value from `Source.brought` to `Source.taken`. The caller must hold the
    /// lock of the target's region.
    take: @Sendable (AnySource) -> Void,

    /// Makes the value in `Source.taken` the input's current value, and releases the previous value. The
    /// caller must hold no lock.
    makeCurrent: @Sendable (AnySource) -> Void
  )

  @usableFromInline init(
    _ channel: AnyChannel,
    keptBy handle: AnyObject,
    isOnly: Bool,
    _ operations: Operations
  ) {
    channelReference = .passUnretained(channel)
    self.handle = handle
    self.operations = operations
    weight = isOnly ? .one : .random()
  }

  deinit {
    // The handle is released in a loop, because nested releases along a long chain of constants would
    // overflow the stack.
    if let handle = handle.take() { CurrentThread.current.release(handle) }
  }

  /// Sets the input's first value from an evaluation. Only the target's deliverer may call this method.
  func start(from evaluation: Evaluation) {}

  /// Takes the value that this input has brought for a change, if the change awaited one. The caller must
  /// hold the lock of the target's region.
  final func takeValue(for version: Version) {
    isChanged = false
    guard !awaiting.isEmpty, awaiting[0] == version else { return }
    _ = awaiting.popFirst()
    operations.take(self)
    if isAhead { (isAhead, isChanged) = (false, true) }
  }

  /// Discards the input's pending values. The caller must hold the lock of the target's region.
  ///
  /// - Returns: The discarded values, which the caller must release after unlocking.
  func discardValues() -> Any { () }

  /// The variables that determine the source's value.
  final var roots: [Node.Root] {
    channel.derivedNode?.roots ?? [Node.Root(reference: channelReference, weight: .one)]
  }

  // MARK: Announcing

  override final func announceChange(takesLock: Bool) {
    target.use { $0.region }.use { region in
      if takesLock { region.announce() }
      let isVariable = channelReference.use { !$0.isDerived }
      // If this source was linked after the write, the source's first value includes the write. So the
      // source awaits no value for this commit.
      let first = node.use { $0.regionChannel.takeUnretainedValue() }
      if !isVariable, !first.isDerived, since >= first.version { return }
      awaiting.append(region.expect(isBrought: isVariable))
      if isVariable { operations.bringVariable(self) }
    }
  }

  override final func endAnnouncing(on thread: CurrentThread) {
    target.use { $0.region }.use { $0.endAnnouncing(on: thread) }
  }
}

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
