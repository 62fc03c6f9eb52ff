import Synchronization

/// The part of a channel that doesn't depend on the type of its changes: its observations, and who
/// delivers to them.
///
/// The observations form a ring, linked through themselves, in the order of their subscription. So
/// subscribing and cleaning are O(1) and allocate nothing. The ring owns one reference to each.
///
/// A derived constant whose sources belong to one *region* belongs to it too, and uses the lock, the
/// version and the deliverer of the region's first channel; see `Node`. Every other channel is the
/// first one of a region of its own.
///
/// Invariants, all guarded by the region's lock:
/// - While a thread is the `deliverer`, it walks the rings of the region without the lock. So no other
///   thread removes an observation: it marks it as cleaned, and the deliverer removes it when it is done.
///   Adding one at the end is safe, because the walk ends at the observation that was the last.
/// - Each change in the backlog has a place in some thread's round that reaches that far, or is
///   `left` to the deliverer, which takes a place when it is done, or belongs to an open transaction.
/// - A variable has a `mark` while an open transaction has a place for it, and until a committed value is
///   delivered or appended to the backlog.
/// - No user code runs under the lock, except the body of a `modify`.
@usableFromInline class AnyChannel: TransactionMember, @unchecked Sendable {
  /// Counts the changes: writes, events, or announcements to a derived constant.
  @exclusivity(unchecked) @usableFromInline final var version = Version()

  /// The first observation in the ring.
  @exclusivity(unchecked) @usableFromInline final var first: Unmanaged<Dust>?

  /// The thread that is delivering.
  @exclusivity(unchecked) @usableFromInline final var deliverer = Deliverer()

  /// How many variables and constants, or sinks and signals, lead to the channel; it is closed when
  /// there are none. The highest bit marks a derived channel, which is never closed.
  @usableFromInline final let handles: ScheduledAtomic<UInt32>

  /// What few channels have: an `Attachments` of the element.
  @exclusivity(unchecked) @usableFromInline final var anyAttachments: AnyAttachments?

  @inlinable init(isDerived: Bool = false) {
    handles = ScheduledAtomic(isDerived ? AnyChannel.derived | 1 : 1)
    super.init()
  }

  @inlinable static var derived: UInt32 { 1 << 31 }

  /// Relaxed, because this bit never changes.
  @inlinable final var isDerived: Bool {
    handles.unscheduled.load(ordering: .relaxed) & AnyChannel.derived != 0
  }

  /// The channel whose lock, version and deliverer this one uses.
  @usableFromInline var regionChannel: AnyChannel { self }

  /// Whether the region has a node or an observer to deliver to: all there may be besides are inputs of
  /// other regions, to which the change is announced. The lock must be held.
  @inlinable final var needsDelivery: Bool {
    first != nil || anyAttachments?.downstream.map { $0.nodeCount > 0 } ?? false
  }

  /// Whether anybody wants to know of a change. The lock must be held.
  @inlinable final var isObserved: Bool {
    if first != nil { return true }
    return anyAttachments?.downstream?.isInUse ?? false
  }

  /// The value of a variable, whose lock must be held.
  var anyValue: any Sendable { trap("\(self) is not a variable.") }

  /// The attachments, created if there are none. The lock must be held.
  func ensureAnyAttachments() -> AnyAttachments { trap("\(self) has no attachments.") }

  /// A place in a round, for the changes up to a version.
  @usableFromInline
  func place(through version: Version) -> PendingDelivery { trap("\(self) delivers nothing.") }

  /// Whether no thread is delivering, and no change waits. The lock must be held.
  @inlinable final var isIdle: Bool {
    !deliverer.isDelivering && !(anyAttachments?.hasBacklog ?? false)
  }

  /// Called when there is no observation any more and no constant derives from the channel, outside the lock.
  func becameUnobserved() {}
}

// MARK: - Handles

extension AnyChannel {
  /// Counts one more handle. Relaxed: a thread that adds a handle already has one, so the count
  /// can't reach zero meanwhile.
  @inlinable final func addHandle() { handles.unscheduled.add(1, ordering: .relaxed) }

  /// Checked by the deliverer under the lock, which the thread that dropped the last handle takes
  /// too: the later of the two removes the observations.
  @inlinable final var isClosed: Bool { handles.unscheduled.load(ordering: .acquiring) == 0 }
}

/// What was detached from a region under its lock, to be released after unlocking.
@usableFromInline struct Detached {
  /// The observations, chained through their own links. So nothing is allocated, and releasing them is
  /// a loop.
  private var observations: Unmanaged<Dust>?

  /// The channels that nobody observes any more.
  var unobserved: [AnyChannel] = []

  var others: [AnyObject] = []

  mutating func push(_ node: Unmanaged<Dust>) {
    node.use { $0.previous = observations }
    observations = node
  }

  /// Releases the ring's references, and what the observations hold.
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
