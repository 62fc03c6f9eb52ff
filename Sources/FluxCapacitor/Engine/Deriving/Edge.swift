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
    if let handle = handle.take() { CurrentThread.current.release(handle) }
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
