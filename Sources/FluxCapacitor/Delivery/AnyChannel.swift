import Synchronization

/// The part of a channel that doesn't depend on the type of its changes: its observations and its deliverer.
///
/// The observations form a ring in the order of their subscription. Each observation contains its
/// own links. So subscribing and cleaning are O(1) and allocate nothing. The ring owns one
/// reference to each observation.
///
/// If all sources of a derived constant belong to one *region*, the constant belongs to that region too. It
/// uses the lock, the version and the deliverer of the region's first channel; see `Node`. Every other
/// channel is the first one of a region of its own.
///
/// The region's lock guards these invariants:
/// - While a thread is the `deliverer`, it walks the rings of the region without the lock. So other threads
///   only mark observations as cleaned, and the deliverer removes them afterward. Another thread may add an
///   observation at the end, because the walk ends at the observation that was last when the delivery began.
/// - Each change in the backlog has a place in a thread's round that reaches its version. Otherwise, the
///   change is `left` to the deliverer, or belongs to an open transaction. When the deliverer has finished,
///   it takes a place for the changes that are left to it.
/// - A variable has a `mark` while an open transaction has a place for it. It also has a `mark` until a
///   committed value is delivered or appended to the backlog.
/// - No user code runs under the lock, except the body of a `modify`.
@usableFromInline class AnyChannel: TransactionMember, @unchecked Sendable {
  /// The number of changes: writes, events, or announcements to a derived constant.
  @exclusivity(unchecked) @usableFromInline final var version = Version()

  /// The first observation in the ring.
  @exclusivity(unchecked) @usableFromInline final var first: Unmanaged<Dust>?

  /// The thread that is delivering, if there is one.
  @exclusivity(unchecked) @usableFromInline final var deliverer = Deliverer()

  /// The number of variables and constants, or of sinks, that lead to the channel. The channel is closed
  /// when the number reaches zero. The highest bit marks a derived channel, which is never closed.
  @usableFromInline final let handles: ScheduledAtomic<UInt32>

  /// An `Attachments` of the element type, for the properties that few channels need.
  @exclusivity(unchecked) @usableFromInline final var anyAttachments: AnyAttachments?

  @inlinable init(isDerived: Bool = false) {
    handles = ScheduledAtomic(isDerived ? AnyChannel.derived | 1 : 1)
    super.init()
  }

  @inlinable static var derived: UInt32 { 1 << 31 }

  /// Whether the channel is derived. The ordering is relaxed, because this bit never changes.
  @inlinable final var isDerived: Bool {
    handles.unscheduled.load(ordering: .relaxed) & AnyChannel.derived != 0
  }

  /// The first channel of the region. This channel uses its lock, version and deliverer.
  @usableFromInline var regionChannel: AnyChannel { self }

  /// Whether the region has a node or an observer to deliver to. The lock must be held.
  ///
  /// Otherwise, only inputs of other regions can be there, and the change is announced to them.
  @inlinable final var needsDelivery: Bool {
    first != nil || anyAttachments?.downstream.map { $0.nodeCount > 0 } ?? false
  }

  /// Whether the channel has an observer, or its changes are needed downstream. The lock must be held.
  @inlinable final var isObserved: Bool {
    if first != nil { return true }
    return anyAttachments?.downstream?.isInUse ?? false
  }

  /// The value of a variable. The variable's lock must be held.
  var anyValue: any Sendable { trap("\(self) is not a variable.") }

  /// Returns the attachments, which are created if there are none. The lock must be held.
  func ensureAnyAttachments() -> AnyAttachments { trap("\(self) has no attachments.") }

  /// Returns a place in a round, for the changes up to a version.
  @usableFromInline
  func place(through version: Version) -> PendingDelivery { trap("\(self) delivers nothing.") }

  /// Whether no thread is delivering and no change waits. The lock must be held.
  @inlinable final var isIdle: Bool {
    !deliverer.isDelivering && !(anyAttachments?.hasBacklog ?? false)
  }

  /// Called without the lock, when the channel has no observation and no observed constant derives from it.
  func becameUnobserved() {}
}

// MARK: - Handles

extension AnyChannel {
  /// Counts one more handle. The ordering is relaxed: a thread that adds a handle already has one, so the
  /// count can't reach zero meanwhile.
  @inlinable final func addHandle() { handles.unscheduled.add(1, ordering: .relaxed) }

  /// Whether the last handle was dropped.
  ///
  /// The deliverer checks this under the lock. The thread that dropped the last handle takes the lock too.
  /// The later of the two threads removes the observations.
  @inlinable final var isClosed: Bool { handles.unscheduled.load(ordering: .acquiring) == 0 }
}

/// Objects that were detached from a region under its lock, to be released after unlocking.
@usableFromInline struct Detached {
  /// The observations, chained through their own links. So no allocation is needed,
  /// and releasing them is a loop.
  private var observations: Unmanaged<Dust>?

  /// The channels that have no observers any more.
  var unobserved: [AnyChannel] = []

  var others: [AnyObject] = []

  mutating func push(_ node: Unmanaged<Dust>) {
    node.use { $0.previous = observations }
    observations = node
  }

  /// Releases the ring's references and the contents of the observations.
  @usableFromInline func release() {
    var next = observations
    while let node = next {
      node.use { dust in
        next = dust.previous
        dust.previous = nil
        dust.releaseContents(dust)
      }
      node.release()
    }
    for channel in unobserved { channel.becameUnobserved() }
  }
}
