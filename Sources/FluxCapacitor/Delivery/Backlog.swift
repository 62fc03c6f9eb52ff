/// The changes of a channel that remain to be delivered, and what else few channels need. Created
/// when it is first needed.
@usableFromInline
final class Backlog<Element: Sendable> {
  /// A change that remains to be delivered. Its holder is the transaction that made it and still
  /// holds it back, or zero if it may be delivered.
  @usableFromInline typealias Change = (value: Element, version: UInt64, holder: UInt64)

  /// In write order.
  @exclusivity(unchecked) @usableFromInline final var changes = FIFO<Change>()

  /// The version up to which changes may be delivered but have no place in a round, or zero.
  @exclusivity(unchecked) @usableFromInline final var unplaced: UInt64 = 0

  /// The version up to which a thread has taken over what was offered. Up to there, other threads'
  /// places don't count, unless that thread finds another one in its way.
  @exclusivity(unchecked)
  @usableFromInline final var takenOver: (through: UInt64, by: UInt32) = (0, 0)

  /// Notifies Observation of changes, if the value was read inside `withObservationTracking`: a
  /// `Tracker`, whose type is in a layer above.
  @exclusivity(unchecked) @usableFromInline final var tracking: (tracker: AnyObject, dust: Dust)?

  /// How the channel reaches what derives from it. Set once, when a derived constant first observes
  /// the channel.
  @exclusivity(unchecked) @usableFromInline final var downstream: Downstream?

  /// How a channel reaches what derives from it. Deriving is a layer above; the closures are created
  /// where the type is known, and capture nothing: see `PendingDelivery`.
  @usableFromInline
  final class Downstream {
    @usableFromInline typealias Invalidate =
      @Sendable (Channel<Element>, _ change: UInt64, _ isMoved: Bool) -> Void
    @usableFromInline typealias Deliver =
      @Sendable (Channel<Element>, Element, _ version: UInt64, Stretch, CurrentThread) -> Void

    /// Invalidates everything that derives from the channel, whose lock must be held.
    @usableFromInline let invalidate: Invalidate

    /// Delivers a change to what derives from the channel, and to its observers.
    @usableFromInline let deliver: Deliver

    @inlinable
    init(invalidate: @escaping Invalidate, deliver: @escaping Deliver) {
      self.invalidate = invalidate
      self.deliver = deliver
    }
  }

  /// A part of the ring of observations.
  @usableFromInline typealias Stretch = (first: Unmanaged<Dust>, last: Unmanaged<Dust>?)

  /// How many of the changes are held back.
  @exclusivity(unchecked) @usableFromInline final var held = 0

  @inlinable
  init() {}

  /// Lets a change that was held back be delivered, and returns its version.
  @inlinable
  func release(at index: Int32) -> UInt64 {
    changes[index].holder = 0
    held -= 1
    unplaced = max(unplaced, changes[index].version)
    return changes[index].version
  }

  /// The index of the change that a transaction holds back.
  ///
  /// It searches from both ends in turn, until it has seen all changes that are held back: a
  /// preempted thread has its change at the front, with thousands piling up behind it, while the
  /// other threads look for theirs immediately, at the back.
  @inlinable
  func index(heldBy transaction: UInt64) -> Int32? {
    var unseen = held
    var (index, other): (Int32, Int32) = (0, changes.count - 1)
    while unseen > 0 {
      let holder = changes[index].holder
      if holder == transaction { return index }
      if holder != 0 { unseen -= 1 }
      if index == other { break }
      (index, other) = (other, index < other ? index + 1 : index - 1)
    }
    return nil
  }

  /// Removes and returns the change that a transaction holds back, if there is one.
  @inlinable
  func take(heldBy transaction: UInt64) -> Change? {
    guard let index = index(heldBy: transaction) else { return nil }
    held -= 1
    return changes.remove(at: index)
  }

  /// The index of the change of a version. O(log n), because they are in order.
  @inlinable
  func index(of version: UInt64) -> Int32? {
    let index = changes.partitioningIndex { $0.version >= version }
    return index < changes.count && changes[index].version == version ? index : nil
  }

  @inlinable
  var isFirstHeld: Bool { held > 0 && changes[0].holder != 0 }
}
