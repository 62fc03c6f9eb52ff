import Synchronization

/// The properties that few channels need. A channel creates its extras on first use, which keeps
/// variables small.
///
/// The lock of the channel's region guards the variable properties of this class. A region is a group of
/// channels that a single thread at a time delivers.
@usableFromInline class AnyChannelExtras {
  /// The changes of other threads that the delivering thread has to deliver, up to a version. When a place ends,
  /// the delivering thread adds a place for these changes to its own queue of deliveries.
  @exclusivity(unchecked) @usableFromInline
  final var forwarded: (version: Version, deliver: Place.Deliver)?

  /// Whether a thread has forwarded changes since the end of the last delivery. `forwarded` can stay set for longer.
  final var hasNewlyForwarded = false

  /// Whether the channel has pending changes in its backlog.
  @exclusivity(unchecked) @usableFromInline final var hasBacklog = false

  /// The node of a variable in the graph of derived constants, if it has one. The extras own a reference to the node.
  @exclusivity(unchecked) @usableFromInline final var node: Unmanaged<Node>?

  /// The region that begins with this channel, or `nil` if no constant derives from the channel, or if the
  /// channel belongs to another channel's region. The extras own a reference to the region.
  @exclusivity(unchecked) @usableFromInline final var region: Unmanaged<Region>?

  /// The inputs of regions to which a write is announced when it becomes a change.
  @exclusivity(unchecked) @usableFromInline final var inputs = InputList()

  /// An object of another folder that lives as long as the channel, such as the `Tracker` that notifies the Observation
  /// framework of changes. Accesses to this reference need no lock.
  final var companion: Unmanaged<AnyObject>? {
    UnsafeRawPointer(bitPattern: addressOfCompanion.load(ordering: .acquiring)).map {
      .fromOpaque($0)
    }
  }

  /// The address of the companion, or zero. The extras own a reference to the companion.
  private final let addressOfCompanion = Atomic<UInt>(0)

  /// The address of the read-only side of the channel's variable, or zero. `ExtrasWord` explains the
  /// address's ordering and lifetime.
  @usableFromInline final let readOnlySide = Atomic<UInt>(0)

  @inlinable init() {}

  deinit {
    node?.release()
    region?.release()
    if let companion { currentThread().whileDelivering { companion.release() } }
  }

  /// Adds a companion, unless another thread has already added one.
  ///
  /// - Returns: The companion that the channel has now.
  final func addCompanion(_ companion: AnyObject) -> AnyObject {
    let own = Unmanaged.passRetained(companion)
    let (isAdded, other) = addressOfCompanion.compareExchange(
      expected: 0,
      desired: UInt(bitPattern: own.toOpaque()),
      ordering: .acquiringAndReleasing
    )
    guard !isAdded, let other = UnsafeRawPointer(bitPattern: other) else { return companion }
    own.release()
    return Unmanaged.fromOpaque(other).takeUnretainedValue()
  }
}

/// The extras of a channel with a known element type, including the channel's pending changes.
@usableFromInline final class ChannelExtras<Element: Sendable>: AnyChannelExtras {
  /// The channel's pending changes, in the order of their versions.
  @exclusivity(unchecked) @usableFromInline var backlog = FIFO<Change>()

  /// An event is open until the transaction that has sent it commits. A variable's change is never open.
  @usableFromInline typealias Change = (value: Element, version: Version, isOpen: Bool)

  @inlinable override init() { super.init() }
}

/// The extras of a channel, and the read-only side of the channel's variable, in a single word.
///
/// The read-only side is the constant of a variable, or the constant table of a variable table. A single
/// word keeps variables small:
///
/// | word | meaning |
/// |---|---|
/// | zero | the channel has neither extras nor a read-only side |
/// | odd | the address of the read-only side, plus one |
/// | even | the address of the extras, which hold the address of the read-only side |
///
/// A thread adds the extras under the lock of the channel's region. Threads access the read-only side
/// without the lock. So each change of the word is a compare-exchange, which fails if another thread has
/// changed the word. A change that publishes an object has release ordering, and each read has acquire
/// ordering.
///
/// The word owns one reference to the extras, for as long as the channel exists. It also owns one
/// reference to the read-only side, until the variable is deallocated.
@usableFromInline struct ExtrasWord: ~Copyable {
  @usableFromInline let word = Atomic<UInt>(0)

  @inlinable init() {}

  deinit { extras?.release() }

  /// The extras, or `nil` if the channel has none yet. The reference is unretained, because extras live as long as their
  /// channel.
  @inlinable var extras: Unmanaged<AnyChannelExtras>? {
    let word = word.load(ordering: .acquiring)
    guard word & 1 == 0, let address = UnsafeRawPointer(bitPattern: word) else { return nil }
    return .fromOpaque(address)
  }

  /// Adds the extras, which take over the read-only side. The caller must hold the lock of the
  /// channel's region.
  ///
  /// - Precondition: The channel has no extras.
  @usableFromInline func add(_ extras: AnyChannelExtras) {
    let address = UInt(bitPattern: Unmanaged.passRetained(extras).toOpaque())
    var side = word.load(ordering: .acquiring)
    var isAdded = false
    while !isAdded {
      extras.readOnlySide.store(side & ~1, ordering: .relaxed)
      (isAdded, side) = word.compareExchange(
        expected: side,
        desired: address,
        ordering: .acquiringAndReleasing
      )
    }
  }

  /// The address of the read-only side. The caller must hold a reference to the variable.
  @inlinable var readOnlySide: UnsafeRawPointer? {
    let word = word.load(ordering: .acquiring)
    // Extras never leave the word.
    guard word & 1 == 0, let extras else { return UnsafeRawPointer(bitPattern: word & ~1) }
    return extras.use {
      UnsafeRawPointer(bitPattern: $0.readOnlySide.load(ordering: .acquiring))
    }
  }

  /// Adds the read-only side, unless another thread has already added one.
  ///
  /// - Returns: The address of the read-only side that the variable has now.
  @usableFromInline func add(readOnlySide side: AnyObject) -> UnsafeRawPointer {
    let side = Unmanaged.passRetained(side)
    let former = replaceReadOnlySide(0, with: UInt(bitPattern: side.toOpaque()))
    guard let former = UnsafeRawPointer(bitPattern: former) else {
      return UnsafeRawPointer(side.toOpaque())
    }
    side.release()
    return former
  }

  /// Removes and releases the read-only side. The caller must hold no lock, because the deinit of the
  /// read-only side can end observations.
  @usableFromInline func release(readOnlySide side: UnsafeRawPointer) {
    _ = replaceReadOnlySide(UInt(bitPattern: side), with: 0)
    Unmanaged<AnyObject>.fromOpaque(side).release()
  }

  /// Replaces the address of the read-only side if it is the expected address. Zero stands for no read-only
  /// side.
  ///
  /// - Returns: The address before this call.
  private func replaceReadOnlySide(_ expected: UInt, with side: UInt) -> UInt {
    while true {
      let word = word.load(ordering: .acquiring)
      if word & 1 == 0, let extras {
        return extras.use {
          $0.readOnlySide.compareExchange(
            expected: expected,
            desired: side,
            ordering: .acquiringAndReleasing
          ).original
        }
      }
      guard word & ~1 == expected else { return word & ~1 }
      let desired = side == 0 ? 0 : side | 1
      // This exchange fails if another thread has added extras or a read-only side.
      if self.word.compareExchange(
        expected: word,
        desired: desired,
        ordering: .acquiringAndReleasing
      ).exchanged {
        return expected
      }
    }
  }
}
