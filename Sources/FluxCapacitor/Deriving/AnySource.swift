/// One of the constants or variables that a derived constant derives from: an edge of the graph,
/// whatever the type of its values.
///
/// While the derived constant is active, the source is linked into the list of those that derive
/// from the same channel. A constant of the same region finds the value where that was computed. For
/// the first constant of a region, the source is an *input*, in which values of another region wait until
/// the constant is computed. The value of a variable is brought when a change is announced; that of a
/// constant, when the deliverer of its region has computed it.
@usableFromInline class AnySource: ChangeListener, @unchecked Sendable {
  /// The handle owns it.
  @usableFromInline final let channelReference: Unmanaged<AnyChannel>

  @inlinable final var channel: AnyChannel { channelReference.takeUnretainedValue() }

  /// The factor of its state in that of what derives from it: 1 for the only source of a `map` or
  /// `removeDuplicates`, and random for those of a `combine`.
  @usableFromInline final let weight: StateID

  /// The variable or constant, which keeps the channel alive.
  private final var handle: AnyObject?

  /// The node that derives from it. Set once, by the node; the formula of that channel owns this.
  @exclusivity(unchecked) @usableFromInline final var target: Unmanaged<Node>!

  /// The node of its channel. Set when it is linked, and owned by the channel.
  @exclusivity(unchecked) @usableFromInline final var node: Unmanaged<Node>!

  // The list of those that derive from the same channel. Guarded by the lock of the channel's region.
  @exclusivity(unchecked) final var next: Unmanaged<AnySource>?
  @exclusivity(unchecked) final var previous: Unmanaged<AnySource>?

  /// The version of the source's region when this was linked: later changes concern the target.
  /// Written under the locks of both regions.
  @exclusivity(unchecked) @usableFromInline final var since = Version()

  // Inputs

  /// The target's pending changes for which a value hasn't been taken yet, in order. Guarded by the
  /// target's lock.
  @exclusivity(unchecked) @usableFromInline final var awaiting = FIFO<Version>()

  /// The state that the target uses. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline final var state = StateID.zero

  /// Whether the value is another one in the change in progress. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline final var isChanged = false

  let operations: Operations

  /// Closures that are created where the type is known; see `PendingDelivery`.
  @usableFromInline typealias Operations = (
    /// Brings the value that was computed to the target.
    bring: @Sendable (AnySource, CurrentThread) -> Void,

    /// Brings the value of a variable, whose lock must be held, and the target's.
    bringVariable: @Sendable (AnySource) -> Void,

    /// Takes the first value that was brought. The target's lock must be held.
    take: @Sendable (AnySource) -> Void,

    /// Makes the value that was taken the current one, and releases the one before. No lock may be held.
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
    // Released in a loop: nested along a long chain, releases would overflow the stack.
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

  /// Forgets what an input has been brought. The target's lock must be held.
  ///
  /// - Returns: What to release after unlocking.
  func discardValues() -> Any { () }

  // MARK: Announcing

  override final func announceChange(takesLock: Bool) {
    target.use { $0.region }.use { region in
      if takesLock { region.announce() }
      let isVariable = channelReference.use { !$0.isDerived }
      // A commit of what the source had when it was linked is not delivered to it.
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

/// The sources that lead from one channel, in the order in which they were linked.
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
