import Synchronization

/// The part of a channel that doesn't depend on the type of its changes: its lock and observations.
///
/// The observations form a ring, linked through themselves, with inputs before all others, which
/// are in the order of their subscription. So subscribing and cleaning are O(1) and allocate
/// nothing. The ring owns one reference to each.
///
/// Invariants, all guarded by `lock`:
/// - While there is a `deliverer`, that thread walks the ring without the lock, or is going to. So no
///   other thread removes an observation: it marks it as cleaned, and the deliverer removes it when it
///   is done.
///   Adding one at the end is safe, because the walk ends at the observation that was the last.
/// - Each change in the backlog that may be delivered has a place in some thread's round that
///   reaches that far, or is within `unplaced`. What is unplaced gets a place from the deliverer
///   when it is done or, if another thread holds back the first change, from the transaction that does.
/// - A transaction that is the `writer`, or holds back a change, has a place in its thread's round.
/// - No user code runs under the lock, except the body of a `modify`.
@usableFromInline
class AnyChannel: CustomStringConvertible, @unchecked Sendable {
  @usableFromInline final let lock = Lock()

  /// Counts the changes: writes, events, or a derived constant's pending changes. Written under the lock.
  /// Releasing and acquiring: a thread that sees a version without the lock finds, under it, what was
  /// written by then or a later value.
  @usableFromInline final let currentVersion = Atomic<UInt64>(0)

  @inlinable final var version: UInt64 {
    get { currentVersion.load(ordering: .acquiring) }
    set { currentVersion.store(newValue, ordering: .releasing) }
  }

  /// The first observation in the ring.
  @exclusivity(unchecked) @usableFromInline final var first: Unmanaged<Dust>?

  /// The thread that is delivering.
  @exclusivity(unchecked) @usableFromInline final var deliverer = Deliverer()

  /// How many variables and constants, or sinks and signals, lead to the channel; it is closed when
  /// there are none. The highest bit marks a derived channel, which is never closed.
  @usableFromInline final let handles: Atomic<UInt32>

  /// The transaction whose write is neither delivered nor in the backlog yet, or zero.
  @exclusivity(unchecked) @usableFromInline final var writer: UInt64 = 0

  /// The place of its lock in the order in which several are taken together.
  final var rank: UInt {
    #if DEBUG
      // Addresses differ between the runs of a scenario.
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

  /// Relaxed, because this bit never changes.
  @inlinable
  final var isDerived: Bool { handles.load(ordering: .relaxed) & AnyChannel.derived != 0 }

  /// Whether derived constants observe it. Their inputs come before all other observations.
  @inlinable
  final var hasInputs: Bool { first?._withUnsafeGuaranteedRef { $0.isInput } ?? false }

  /// What computes its value, if anything does: a `Derivation`, whose type is in a layer above.
  var upstream: AnyObject? { nil }

  /// Notes that an input has joined, at the current state of the variables, which must be locked.
  func didJoin(_ input: Dust) {}

  /// Discards what was noted about those who joined while a change was on its way. The lock must be
  /// held.
  ///
  /// - Returns: What was discarded, to be released after unlocking.
  func takeJoiners() -> Any { () }

  /// The value of a variable. The lock must be held.
  func capture() -> any Sendable {
    trap("\(self) is no variable.")
  }

  /// Makes the next write invalidate again, for those who join downstream. The lock must be held.
  ///
  /// - Returns: Whether a transaction holds back a change here.
  func willJoinDownstream() -> Bool { false }

  /// Called when the last observation was removed, outside the lock.
  func becameUnobserved() {}

  /// The channel's name in the sentence of a trap.
  @usableFromInline
  var description: String { "\(Self.self)" }

  /// Waits for the lock, or traps if this thread holds it for a mutation.
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
  /// Counts one more handle. Relaxed: a thread that adds a handle already has one, so the count
  /// can't reach zero meanwhile.
  @inlinable
  final func addHandle() {
    handles.add(1, ordering: .relaxed)
  }

  /// Checked by the deliverer under the lock, which the thread that dropped the last handle takes
  /// too: the later of the two removes the observations.
  @inlinable
  final var isClosed: Bool { handles.load(ordering: .acquiring) == 0 }
}
