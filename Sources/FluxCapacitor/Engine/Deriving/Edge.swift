/// An edge of the graph of derived constants.
///
/// An edge leads from its *source* (a variable or constant) to its *target* (a constant that derives from
/// the source). While the target is active, the edge is linked.
///
/// If source and target belong to the same region, the target reads the value that the region's deliverer
/// has computed. If the target begins a region, the edge is an `Input` of this region.
@usableFromInline class Edge: @unchecked Sendable {
  /// The channel of the source. `handle` keeps the channel alive.
  @usableFromInline final let sourceReference: Unmanaged<AnyChannel>

  @inlinable final var source: AnyChannel { sourceReference.takeUnretainedValue() }

  /// The variable or constant that owns the source's channel, retained to keep the channel alive.
  private final var handle: AnyObject?

  /// The target's node, which sets this reference once. The reference is unretained, because the formula
  /// of the target's channel owns the edge.
  @exclusivity(unchecked) @usableFromInline final var target: Unmanaged<Node>!

  /// The node of the source's channel, set when the edge is first linked. The channel owns the node.
  @exclusivity(unchecked) @usableFromInline final var sourceNode: Unmanaged<Node>!

  @usableFromInline init(from source: AnyChannel, keptBy handle: AnyObject) {
    sourceReference = .passUnretained(source)
    self.handle = handle
  }

  deinit {
    // The handle is released in a loop, because nested releases along a long chain of constants would
    // overflow the stack.
    if let handle = handle.take() { currentThread().release(handle) }
  }

  /// The variables that determine the source's value.
  final var roots: [Node.Root] {
    source.derivedNode?.roots ?? [Node.Root(reference: sourceReference, coefficient: .one)]
  }

  /// Returns the source's value for use in a formula. The caller asks for the type of the source's values.
  @inlinable final func sourceValue<Value: Sendable>(for reading: Reading) -> Value {
    switch reading {
    case .region: return valueInProgress()
    case .evaluation(let evaluation): return evaluation.value(of: source)
    case .variable(let version):
      // A formula receives `.variable` only if its only source is a variable; see `computeDirectly`.
      let variable = unsafeDowncast(source, to: ValueChannel<Value>.self)
      variable.acquire()
      defer { variable.lock.unlock() }
      version.pointee = variable.version
      return variable.stored
    }
  }

  /// Returns the value that the deliverer of the source's region has computed or is delivering.
  @inlinable final func valueInProgress<Value: Sendable>() -> Value {
    sourceReference.use { source in
      guard source.isDerived else {
        // The source's region begins with a variable of this type, so the region's address points to that variable's
        // value.
        let value = sourceNode.use { $0.region.use { $0.value } }
        return value.unsafelyUnwrapped.assumingMemoryBound(to: Value.self).pointee
      }
      return unsafeDowncast(source, to: DerivedChannel<Value>.self).delivered
        ?? source.trapUncomputed()
    }
  }
}

/// An edge that can lead from one region to another. Values wait in an input until the target is computed:
///
/// | value | where | from | until |
/// |---|---|---|---|
/// | brought | `Input.brought`, a queue | a commit writes the source, or the deliverer of the source's region computes it | the target's deliverer takes the change to which the value belongs |
/// | taken | `Input.taken` | the deliverer takes the value under the lock | the lock is released |
/// | current | `Input.current` | the deliverer releases the former value, under no lock | the next value |
///
/// If all sources of a combination are in one region, its inputs are ordinary edges.
@usableFromInline class AnyInput: Edge, OrderedListElement, @unchecked Sendable {
  /// The coefficient of the input's fingerprint in the one of the region that begins with the target; see `Fingerprint`.
  /// The target's node sets it once.
  @exclusivity(unchecked) final var coefficient = Fingerprint.one

  /// The input's sort key among those to which a commit is announced: the number of the region, and the position among
  /// the inputs of the region, which share its lock. The target's node sets it once.
  @exclusivity(unchecked) final var order: (region: UInt64, index: Int) = (0, 0)

  /// The version of the source's region when the input was linked. Only changes with later versions
  /// reach the target. A thread writes this version under the locks of the source's region and the
  /// target's region.
  @exclusivity(unchecked) @usableFromInline final var since = Version.beginning

  /// The versions of the announced changes that await this input's value, in order. A version leaves the
  /// queue when the target takes the value. The lock of the target's region guards this queue.
  @exclusivity(unchecked) @usableFromInline final var announced = FIFO<Version>()

  /// The fingerprint of the input's current value. Only the target's deliverer uses this property.
  @exclusivity(unchecked) @usableFromInline final var fingerprint = Fingerprint.zero

  /// Whether the change in progress has a new value for this input. Only the target's deliverer uses
  /// this property.
  @exclusivity(unchecked) @usableFromInline final var isChanged = false

  /// The input's position in the list of the source's region. The lock of that region guards it.
  final var position: Int32 = 0

  /// Performs an operation in code that knows the type of the values; see `Place.Deliver`.
  let perform: @Sendable (AnyInput, Operation) -> Void

  @usableFromInline enum Operation {
    /// Brings the source's computed value to this input.
    case bring(CurrentThread)

    /// Brings the variable's value to this input. The caller must hold the locks of the variable and of
    /// the target's region.
    case bringVariable

    /// Moves the value that was brought for a change, if the change awaited one, from `Input.brought` to `Input.taken`. The
    /// caller must hold the lock of the target's region.
    case take(Version)

    /// Moves the value from `Input.taken` to `Input.current`, and releases the former value. The caller must
    /// hold no lock.
    case makeCurrent
  }

  @usableFromInline init(
    from source: AnyChannel,
    keptBy handle: AnyObject,
    perform: @escaping @Sendable (AnyInput, Operation) -> Void
  ) {
    self.perform = perform
    super.init(from: source, keptBy: handle)
  }

  /// Sets the input's current value from an evaluation. Only the target's deliverer may call this method.
  func start(from evaluation: Evaluation) {}

  /// Discards the input's pending values. The caller must hold the lock of the target's region.
  ///
  /// - Returns: The discarded values, which the caller must release after unlocking.
  func discardValues() -> Any { () }
}

/// An input for values of a known type.
@usableFromInline final class Input<Value: Sendable>: AnyInput, @unchecked Sendable {
  /// The values that were brought to this input and not taken yet. These values belong to the first
  /// versions in `announced`. The lock of the target's region guards this queue.
  @exclusivity(unchecked) @usableFromInline var brought = FIFO<Brought>()

  @usableFromInline typealias Brought = (value: Value, isChanged: Bool, fingerprint: Fingerprint)

  /// The value that was taken from `brought` and isn't current yet. Only the target's deliverer uses this
  /// property.
  @exclusivity(unchecked) @usableFromInline var taken: Value?

  /// The value from which the target is computed. Only the target's deliverer uses this property.
  @exclusivity(unchecked) @usableFromInline var current: Value?

  @inlinable init(from source: Channel<Value>, keptBy handle: AnyObject) {
    super.init(from: source, keptBy: handle) { input, operation in
      // The closure is called only with the input that owns it, so the downcast is safe.
      let input = unsafeDowncast(input, to: Input.self)
      switch operation {
      case .bring(let thread): input.bringValue(on: thread)
      case .bringVariable:
        input.sourceReference.use { source in
          let variable = unsafeDowncast(source, to: ValueChannel<Value>.self)
          input.brought.append((variable.stored, true, Fingerprint(variable.version)))
        }
      case .take(let version):
        input.isChanged = false
        guard !input.announced.isEmpty, input.announced[0] == version,
          let brought = input.brought.popFirst(), input.announced.popFirst() != nil
        else { return }
        // A transaction that was open when the target became active commits what the target has started with.
        input.isChanged = brought.isChanged && brought.fingerprint != input.fingerprint
        (input.taken, input.fingerprint) = (brought.value, brought.fingerprint)
      case .makeCurrent: if let value = input.taken.take() { input.current = value }
      }
    }
  }

  /// Returns the source's value for use in a formula.
  @inlinable func value(for reading: Reading) -> Value {
    guard case .region = reading, target.use({ $0.beginsRegion }) else {
      return sourceValue(for: reading)
    }
    return current ?? source.trapUncomputed()
  }

  @inlinable func bringValue(on thread: CurrentThread) {
    // If the source was linked after the change, the target started with the change.
    guard sourceNode.use({ $0.takesPart }) else { return }
    let isChanged = sourceNode.use { $0.isChanged }
    // Even an unchanged value is brought. Otherwise, the change would wait for it without end. The target might
    // also have started with a newer value.
    let value: Value = valueInProgress()
    sourceNode.use { $0.region }.use { region in
      target.use { target in
        target.channel.use { $0.lock.lock() }
        // The target awaits no value if it was linked after the change. During the computation, another
        // thread might have deactivated the target, and might even have activated it again.
        if brought.count < announced.count, since < region.version {
          brought.append((value, isChanged, region.fingerprint))
          target.region.use { $0.didArrive(announced[brought.count - 1], on: thread) }
        }
        target.channel.use { $0.lock.unlock() }
      }
    }
  }

  override func start(from evaluation: Evaluation) {
    current = .some(evaluation.value(of: source) as Value)
    fingerprint = evaluation.fingerprint(of: sourceNode.takeUnretainedValue())
  }

  override func discardValues() -> Any {
    announced = FIFO()
    var values: [Value] = []
    while let brought = brought.popFirst() { values.append(brought.value) }
    if let current = current.take() { values.append(current) }
    return values
  }
}

/// The inputs to which a commit is announced while all of its variables are locked, sorted by `order`. A transaction's
/// list contains an input once for each written variable. The list doesn't retain its inputs, because each is removed
/// from the list before it is released.
///
/// In a transaction's list, each input has the index of the variable's place in the thread's round.
@usableFromInline typealias InputList = [(input: Unmanaged<AnyInput>, place: Int32)]

extension InputList {
  mutating func insert(_ input: AnyInput) {
    insert((.passUnretained(input), 0), at: index(of: input.order))
  }

  mutating func remove(_ input: AnyInput) {
    let index = index(of: input.order)
    if index < count, self[index].input.use({ $0 === input }) { remove(at: index) }
  }

  /// Announces a change to all inputs.
  ///
  /// If two threads announce changes to the same inputs, all of these receive the changes in the same order, because an
  /// announcing thread holds the locks of all regions until the end.
  @usableFromInline func announce(on thread: CurrentThread) {
    var last: (region: UInt64, index: Int) = (0, 0)
    for (input, _) in self {
      input.use { input in
        let isFirst = input.order.region != last.region
        if input.order != last {
          input.target.use { $0.region }.use {
            $0.announce(to: input, isFirst: isFirst, on: thread)
          }
        }
        last = input.order
      }
    }
    var position: Int32 = 0
    for (index, (input, place)) in enumerated() {
      position = Swift.max(position, place)
      let region = input.use { $0.order.region }
      if index + 1 < count, self[index + 1].input.use({ $0.order.region }) == region { continue }
      input.use { $0.target.use { $0.regionChannel } }.use { channel in
        let places = thread.pointee.round.count
        channel.takePlace(by: Region.deliver, on: thread)
        if thread.pointee.round.count > places { thread.pointee.round[places].position = position }
        channel.lock.unlock()
      }
      position = 0
    }
  }

  private func index(of order: (region: UInt64, index: Int)) -> Int {
    partitioningIndex(of: count) { self[$0].input.use { $0.order >= order } }
  }
}
