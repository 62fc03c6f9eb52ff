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
class AnyChannel: @unchecked Sendable {
  @usableFromInline final let lock = Lock()

  /// Counts the writes.
  @exclusivity(unchecked) @usableFromInline final var version: UInt64 = 0

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

  /// What it derives from, if it does.
  var derivation: Derivation? { nil }

  /// What an evaluation takes as the value of a variable; the lock is held.
  func capture() -> any Sendable {
    trap("\(Self.self) is no variable.")
  }

  /// Has Observation know of no more changes.
  func untrack() {}

  /// Sees to it that whatever is written from now on is marked anew, for those who join downstream; the
  /// lock is held.
  ///
  /// - Returns: Whether a transaction is under way that has written here.
  func willJoinDownstream() -> Bool { false }

  /// Notes that an input joins, at the present state of the variables; they are locked.
  func note(_ input: AnyInput) {}

  /// Forgets who has joined while a change was on its way; answers what is known of them. The lock is held.
  func takeAllJoiners() -> Any? { nil }

  /// Finds its value from those of its sources, which the evaluation knows.
  func evaluate(in evaluation: Evaluation) {
    trap("\(Self.self) is not derived from anything.")
  }

  /// Makes an activated channel ready to tell changes, from what its sources are at that time.
  ///
  /// - Parameter evaluation: Not there if nothing but a variable's version is needed, which is `state`.
  func start(from evaluation: Evaluation?, at state: Fingerprint, on thread: CurrentThread) {
    trap("\(Self.self) is not derived from anything.")
  }

  /// Lets go of the observations if nothing is left to be told; the lock is held.
  @usableFromInline
  func detachAllIfIdle(into detached: inout Detached) {
    trap("\(Self.self) is never closed.")
  }

  /// What a trap calls this channel.
  @usableFromInline
  var name: String { "\(Self.self)" }

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
      \(name) was used inside its own mutation. Use the value that `modify` passes to its closure, \
      or read it before the mutation.
      """
    )
  }
}

// MARK: - The ring of observations

extension AnyChannel {
  /// Adds an observation as the last one; the lock is held.
  @inlinable
  final func link(_ dust: Dust) {
    let node = Unmanaged.passRetained(dust)
    dust.since = version
    dust.channel = self
    guard let first else {
      dust.next = node
      dust.previous = node
      first = node
      return
    }
    let last = first._withUnsafeGuaranteedRef { $0.previous }
    dust.next = first
    dust.previous = last
    last?._withUnsafeGuaranteedRef { $0.next = node }
    first._withUnsafeGuaranteedRef { $0.previous = node }
  }

  /// Adds an input, before all other observations; the lock is held.
  final func link(input: AnyInput) {
    link(input)
    first = .passUnretained(input)
  }

  /// Takes an observation out, with the ring's reference to it; the lock is held.
  @inlinable
  final func unlink(_ dust: Dust, into detached: inout Detached) {
    let node = Unmanaged.passUnretained(dust)
    if let next = dust.next, next.toOpaque() != node.toOpaque() {
      let previous = dust.previous
      previous?._withUnsafeGuaranteedRef { $0.next = next }
      next._withUnsafeGuaranteedRef { $0.previous = previous }
      if first?.toOpaque() == node.toOpaque() { first = next }
    } else {
      first = nil
    }
    dust.next = nil
    detached.push(node)
  }

  /// Takes a cleaned observation out, now or when the delivery that is under way has ended.
  ///
  /// Inside a mutation of this very channel, the thread has the lock already: what the mutation
  /// throws away may clean its observation of it. Inside another's, it waits for no lock, whose holder
  /// may be waiting for that variable: it is taken out afterwards.
  @usableFromInline
  final func remove(_ dust: Dust) {
    var detached = Detached()
    let thread = CurrentThread.current
    let isMutating = lock.isHeld(by: thread.id)
    if !isMutating, thread.pointee.openMutations == 0 {
      lock.lock()
    } else if !isMutating, !lock.tryLock() {
      return afterMutation(on: thread) { $0.removeCleaned() }
    }
    if deliverer.thread != 0 {
      deliverer.hasCleaned = true
    } else if dust.next != nil {
      unlink(dust, into: &detached)
    }
    let isUnobserved = first == nil
    if !isMutating { lock.unlock() }
    detached.release()
    if isUnobserved, isDerived { deactivateIfUnobserved() }
  }

  /// Takes out what could not be taken out at once.
  private func removeCleaned() {
    lock.lock()
    guard deliverer.thread != 0 else { return detachCleanedAndDeactivate() }
    deliverer.hasCleaned = true
    lock.unlock()
  }

  /// Takes every cleaned observation out, and what only they wanted out of use, if nobody delivers;
  /// takes the lock over.
  @usableFromInline
  final func detachCleanedAndDeactivate() {
    var detached = Detached()
    detachCleaned(into: &detached)
    let isUnobserved = first == nil
    lock.unlock()
    detached.release()
    if isUnobserved { deactivateIfUnobserved() }
  }

  /// Does something when this thread has no variable's lock in hand any more.
  final func afterMutation(
    on thread: CurrentThread,
    do action: @escaping @Sendable (AnyChannel) -> Void
  ) {
    let delivery = Delivery(of: self, at: 0) { channel, _, _ in action(channel) }
    thread.append(delivery, isOwn: false)
  }

  /// Takes every cleaned observation out; the lock is held, and nobody delivers.
  @usableFromInline
  final func detachCleaned(into detached: inout Detached) {
    guard let first else { return }
    var node = first
    let last = first._withUnsafeGuaranteedRef { $0.previous }
    while true {
      let dust = node.takeUnretainedValue()
      let next = dust.next
      if dust.isCleaned { unlink(dust, into: &detached) }
      guard node.toOpaque() != last?.toOpaque(), let next else { return }
      node = next
    }
  }

  /// How many observations there are that are not cleaned: of a derived constant that observes this, its
  /// own.
  final var observerCount: Int {
    var inputs: [AnyInput] = []
    var count = 0
    lock.lock()
    var node = first
    while let dust = node?.takeUnretainedValue() {
      if !dust.isCleaned {
        if dust.isInput {
          inputs.append(unsafeDowncast(dust, to: AnyInput.self))
        } else {
          count += 1
        }
      }
      node = dust.next.flatMap { $0.toOpaque() == first?.toOpaque() ? nil : $0 }
    }
    lock.unlock()
    return inputs.reduce(count) { $0 + $1.target.observerCount }
  }

  /// Takes every observation out; the lock is held, and nobody delivers.
  @usableFromInline
  final func detachAll(into detached: inout Detached) {
    while let first { unlink(first.takeUnretainedValue(), into: &detached) }
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
    var detached = Detached()
    acquire()
    detachAllIfIdle(into: &detached)
    lock.unlock()
    detached.release()
  }
}
