/// The changes of a channel that are still to be told, and what else few channels need; made when
/// there first is any of it.
@usableFromInline
final class Backlog<Element: Sendable> {
  /// One change that is still to be delivered. Its holder is the transaction that made it and has not come
  /// to deliver it, or zero if it may be delivered.
  @usableFromInline typealias Change = (value: Element, version: UInt64, holder: UInt64)

  /// In write order.
  @exclusivity(unchecked) @usableFromInline final var changes = FIFO<Change>()

  /// The version up to which they may be told and have no place in any thread's round, or zero.
  @exclusivity(unchecked) @usableFromInline final var unclaimed: UInt64 = 0

  /// The version up to which a thread has taken over what was offered: the places of others don't count
  /// up to there, unless that thread finds somebody in its way.
  @exclusivity(unchecked)
  @usableFromInline final var takenOver: (through: UInt64, by: UInt32) = (0, 0)

  /// What passes the changes on to Observation, if the value was read where that tracks: a `Tracker`,
  /// which is a layer above.
  @exclusivity(unchecked) @usableFromInline final var tracking: (tracker: AnyObject, dust: Dust)?

  /// Notes that a change is on its way to all that derives from the channel, whose lock is held.
  ///
  /// This and the next one are there if anything ever has derived from it. That is a layer above, and they
  /// are made where the type is known, and capture nothing; see `Delivery`.
  @exclusivity(unchecked) @usableFromInline
  final var invalidate:
    (@Sendable (Channel<Element>, _ change: UInt64, _ isMoved: Bool, CurrentThread) -> Void)?

  /// Brings a change to the inputs, which come before all other observations; no lock is held. It returns
  /// the first observation that is no input, and whether inputs are left for `relay`.
  @exclusivity(unchecked) @usableFromInline
  final var receive:
    (
      @Sendable (Channel<Element>, Element, _ version: UInt64, Stretch, CurrentThread) -> (
        rest: Node?, isRelayed: Bool
      )
    )?

  /// Delivers the change, behind the channel's own observers, to what takes it from its input at once.
  @exclusivity(unchecked) @usableFromInline
  final var relay:
    (@Sendable (Channel<Element>, Element, _ version: UInt64, Stretch, CurrentThread) -> Void)?

  @usableFromInline typealias Node = Unmanaged<Dust>
  @usableFromInline typealias Stretch = (first: Node, last: Node?)

  /// How many of them are held back by a transaction that is still open.
  @exclusivity(unchecked) @usableFromInline final var held = 0

  @inlinable
  init() {}

  /// Lets a change that was held back be told; answers its version.
  @inlinable
  func release(at index: Int32) -> UInt64 {
    changes[index].holder = 0
    held -= 1
    unclaimed = max(unclaimed, changes[index].version)
    return changes[index].version
  }

  /// Where the change that a transaction has held back is.
  ///
  /// It searches from both ends, until it has seen all that are held back: a thread that was put off the
  /// processor has its change at the front, behind which thousands may pile up, and the others come for
  /// theirs at once, at the back.
  @inlinable
  func index(heldBy transaction: UInt64) -> Int32? {
    var unseen = held
    var (index, other): (Int32, Int32) = (0, changes.count - 1)
    // From one end and the other in turns.
    while unseen > 0 {
      let holder = changes[index].holder
      if holder == transaction { return index }
      if holder != 0 { unseen -= 1 }
      if index == other { break }
      (index, other) = (other, index < other ? index + 1 : index - 1)
    }
    return nil
  }

  /// Takes out the change that a transaction has held back, if there is one.
  @inlinable
  func take(heldBy transaction: UInt64) -> Change? {
    guard let index = index(heldBy: transaction) else { return nil }
    held -= 1
    return changes.remove(at: index)
  }

  /// Where the change of a version is. O(log n), for they are in order.
  @inlinable
  func index(of version: UInt64) -> Int32? {
    let index = changes.partitioningIndex { $0.version >= version }
    return index < changes.count && changes[index].version == version ? index : nil
  }

  @inlinable
  var isFirstHeld: Bool { held > 0 && changes[0].holder != 0 }
}
