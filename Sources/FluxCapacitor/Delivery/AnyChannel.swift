import Synchronization

/// The part of a channel that does not depend on what it carries: its lock and its observers.
///
/// The observers form a ring, linked through themselves, in the order of their subscription:
/// subscribing and cleaning are O(1) and allocate nothing. The ring owns one reference to each.
///
/// Invariants, all of them guarded by `lock`:
/// - While there is a `deliverer`, that thread walks the ring without the lock. So nobody takes an
///   observation out: it is marked as cleaned, and the deliverer takes it out when it is done.
///   Adding one at the end is fine, for the walk ends at the observation that was the last.
/// - Each change in the backlog that may be told has a place in some thread's round that reaches as
///   far, or is within `unclaimed`. What is unclaimed is claimed by the deliverer when it is done or,
///   if the first change is held back by another thread, by the transaction that holds it.
/// - A transaction that is the `writer`, or holds back a change, has a place in its thread's round.
/// - No code of the user's runs under the lock, but for the body of a `modify`.
@usableFromInline
class AnyChannel: CustomStringConvertible, @unchecked Sendable {
  @usableFromInline final let lock = Lock()

  /// Counts the writes. Written under the lock; releasing, for those who look at it without the lock and
  /// acquire: who sees a version finds under the lock what was written by then, or a later value.
  @usableFromInline final let currentVersion = Atomic<UInt64>(0)

  @inlinable final var version: UInt64 {
    get { currentVersion.load(ordering: .acquiring) }
    set { currentVersion.store(newValue, ordering: .releasing) }
  }

  /// The observation that subscribed first.
  @exclusivity(unchecked) @usableFromInline final var first: Unmanaged<Dust>?

  /// Who is telling the observers.
  @exclusivity(unchecked) @usableFromInline final var deliverer = Deliverer()

  /// The variables and constants through which the channel can be reached. Without any, nothing can
  /// be written any more. The uppermost bit says that the channel is a derived one, and never closed.
  @usableFromInline final let handles: Atomic<UInt32>

  /// The transaction that has written what is neither told nor in the backlog yet, or zero.
  @exclusivity(unchecked) @usableFromInline final var writer: UInt64 = 0

  /// The place of its lock among those that are taken together.
  final var rank: UInt {
    #if DEBUG
      // In a scenario, nothing is at the same address each time.
      lock.id
    #else
      UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    #endif
  }

  @inlinable
  init(isDerived: Bool = false) {
    handles = Atomic(isDerived ? AnyChannel.derived | 1 : 1)
  }

  @inlinable static var derived: UInt32 { 1 << 31 }

  /// Relaxed, for it never changes.
  @inlinable
  final var isDerived: Bool { handles.load(ordering: .relaxed) & AnyChannel.derived != 0 }

  /// Whether derived constants observe it: their inputs come before all other observations.
  @inlinable
  final var hasInputs: Bool { first?._withUnsafeGuaranteedRef { $0.isInput } ?? false }

  /// What it is computed by, if it is: a `Derivation`, which is a layer above.
  var upstream: AnyObject? { nil }

  /// The value of a variable; the lock is held.
  func capture() -> any Sendable {
    trap("\(self) is no variable.")
  }

  /// Has Observation know of no more changes.
  func untrack() {}

  /// Sees to it that whatever is written from now on is marked anew, for those who join downstream; the
  /// lock is held.
  ///
  /// - Returns: Whether a transaction is under way that has written here.
  func willJoinDownstream() -> Bool { false }

  /// Is called when the last observation is gone, outside the lock.
  func becameUnobserved() {}

  /// Lets go of the observations if nothing is left to be told; the lock is held.
  @usableFromInline
  func detachAllIfIdle(into detached: inout DetachedObservations) {
    trap("\(self) is never closed.")
  }

  /// What a trap calls this channel.
  @usableFromInline
  var description: String { "\(Self.self)" }

  /// Waits for the lock, and traps if this thread is inside a mutation under it.
  @inlinable
  final func acquire() {
    if lock.isHeldForUser, lock.isHeld(by: CurrentThread.current.id) { trapInMutation() }
    lock.lock()
  }

  @usableFromInline
  final func trapInMutation() -> Never {
    trap(
      """
      \(self) was used inside its own mutation. Use the value that `modify` passes to its closure, \
      or read it before the mutation.
      """
    )
  }
}

// MARK: - Handles

extension AnyChannel {
  /// Counts one more variable or constant that reaches this channel. Relaxed: who adds one has one, so that
  /// it is not about the last.
  @inlinable
  final func addHandle() {
    handles.add(1, ordering: .relaxed)
  }

  /// Counts one less; with the last one, the observations are let go of. Releasing and acquiring: what was
  /// done through any of them is done by then.
  @inlinable
  final func dropHandle() {
    lock.schedulePoint(.write)
    let left = handles.subtract(1, ordering: .acquiringAndReleasing).newValue
    if left & ~AnyChannel.derived == 0 { close() }
  }

  /// Asked by the deliverer under the lock, which whoever has dropped the last one takes too: the later of the
  /// two lets go of the observations.
  @inlinable
  final var isClosed: Bool { handles.load(ordering: .acquiring) == 0 }

  @usableFromInline
  final func close() {
    // A derived one goes on for its observers, but not for a tracker: nobody can read it any more.
    if isDerived { return untrack() }
    var detached = DetachedObservations()
    acquire()
    detachAllIfIdle(into: &detached)
    lock.unlock()
    detached.release()
  }
}
