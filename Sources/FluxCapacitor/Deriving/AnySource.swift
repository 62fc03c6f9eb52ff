/// A constant or variable that a derived constant derives from: an edge of the graph, for values of any type.
///
/// While the derived constant is active, the source is linked into the list of dependents of its
/// channel. A constant in the same region reads the value where the deliverer has computed it. For
/// the first constant of a region, the source is an *input*: values of another region wait in it
/// until the constant is computed. An input that reads a variable has its value when a change is
/// announced. An input that reads a constant receives its value when the deliverer of that region
/// has computed it.
@usableFromInline class AnySource: ChangeListener, @unchecked Sendable {
  /// The handle owns the channel.
  @usableFromInline final let channelReference: Unmanaged<AnyChannel>

  @inlinable final var channel: AnyChannel { channelReference.takeUnretainedValue() }

  /// The factor of the source's state in the state of the target. It is 1 for an only source, as in
  /// `map` and `removeDuplicates`. It is random for each of several sources, as in `combine`.
  @usableFromInline final let weight: StateID

  /// The variable or constant, which keeps the channel alive.
  private final var handle: AnyObject?

  /// The node that derives from the source. The node sets it once. The formula of its channel owns
  /// the source.
  @exclusivity(unchecked) @usableFromInline final var target: Unmanaged<Node>!

  /// The node of the channel, which owns it. Set when the source is linked.
  @exclusivity(unchecked) @usableFromInline final var node: Unmanaged<Node>!

  // The links in the list of the channel's dependents. Guarded by the lock of the channel's region.
  @exclusivity(unchecked) final var next: Unmanaged<AnySource>?
  @exclusivity(unchecked) final var previous: Unmanaged<AnySource>?

  /// The version of the channel's region when the source was linked. Only later changes concern the
  /// target. Written under the locks of both regions.
  @exclusivity(unchecked) @usableFromInline final var since = Version()

  // Inputs

  /// The target's pending changes for which the target hasn't taken a value yet, in order. Guarded
  /// by the target's lock.
  @exclusivity(unchecked) @usableFromInline final var awaiting = FIFO<Version>()

  /// The state of the value that the target uses. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline final var state = StateID.zero

  /// Whether the change in progress has a new value for this input. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline final var isChanged = false

  let operations: Operations

  /// Closures that are created where the type is known; see `PendingDelivery`.
  @usableFromInline typealias Operations = (
    /// Brings the computed value to the target.
    bring: @Sendable (AnySource, CurrentThread) -> Void,

    /// Brings the value of a variable. The locks of the variable and of the target must be held.
    bringVariable: @Sendable (AnySource) -> Void,

    /// Takes the first of the values that were brought. The target's lock must be held.
    take: @Sendable (AnySource) -> Void,

    /// Makes the taken value the current one, and releases the previous one. No lock may be held.
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
    // The handle is released in a loop: nested releases along a long chain would overflow the stack.
    if let handle = handle.take() { CurrentThread.current.release(handle) }
  }

  /// Starts an input with the value from an evaluation. Only for the target's deliverer.
  func start(from evaluation: Evaluation) {}

  /// Takes the values for a pending change, if there are any. The target's lock must be held.
  final func takeValues(for version: Version) {
    while !awaiting.isEmpty, awaiting[0] <= version {
      _ = awaiting.popFirst()
      operations.take(self)
    }
  }

  /// Discards the values that were brought to an input. The target's lock must be held.
  ///
  /// - Returns: The values, to be released after unlocking.
  func discardValues() -> Any { () }

  // MARK: Announcing

  override final func announceChange(takesLock: Bool) {
    target.use { $0.region }.use { region in
      if takesLock { region.announce() }
      let isVariable = channelReference.use { !$0.isDerived }
      // The source started with the value of this commit, so the commit isn't delivered to it.
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

/// The sources that derive from one channel, in the order in which they were linked.
struct Dependents {
  private var first: Unmanaged<AnySource>?
  private var last: Unmanaged<AnySource>?

  var isEmpty: Bool { first == nil }

  mutating func append(_ source: AnySource) {
    let link = Unmanaged.passUnretained(source)
    source.previous = last
    source.next = nil
    last?.use { $0.next = link }
    last = link
    if first == nil { first = link }
  }

  mutating func remove(_ source: AnySource) {
    let (previous, next) = (source.previous, source.next)
    if let previous { previous.use { $0.next = next } } else { first = next }
    if let next {
      next.use { $0.previous = previous }
    } else {
      last = previous
    }
    (source.previous, source.next) = (nil, nil)
  }

  @inline(__always) func forEach(_ body: (AnySource) -> Void) {
    var link = first
    while let source = link {
      source.use {
        link = $0.next
        body($0)
      }
    }
  }
}
