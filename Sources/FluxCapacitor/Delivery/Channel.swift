/// An ordered stream of changes to any number of observers: the one delivery path of the library.
///
/// A change is told at once if nothing stands in the way. Otherwise it joins the backlog, which is
/// in write order, and takes a place in its thread's round. One thread at a time delivers, so an
/// observer's calls neither overlap nor change places; see `AnyChannel` for the invariants.
@usableFromInline
class Channel<Element: Sendable>: AnyChannel, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline final var backlog: Backlog<Element>?

  /// Tells a change, or queues it behind what has to be told before; takes the lock over.
  @inlinable
  final func announce(_ value: Element, on thread: CurrentThread) {
    if isIdle, !thread.pointee.isTelling, thread.pointee.round.isEmpty {
      thread.pointee.isTelling = true
      deliver(value, version: version, on: thread)
      thread.pointee.isTelling = false
    } else {
      enqueue(value)
      claim(on: thread, isOwn: true)
      lock.unlock()
    }
    thread.settle()
  }

  /// Tells a change to all who had subscribed before it; takes the lock over.
  @inlinable
  final func deliver(_ value: Element, version: UInt64, on thread: CurrentThread) {
    guard let first else { return lock.unlock() }
    deliverer = Deliverer(thread)
    let last = first._withUnsafeGuaranteedRef { $0.previous }
    lock.unlock()
    let revision = Revision(state: Fingerprint(version), edition: Fingerprint(version))
    if let first = tellInputs(value, version, revision, from: first, through: last, on: thread) {
      tellObservers(value, version, from: first, through: last, on: thread)
    }
    lock.lock()
    let hasCleaned = deliverer.hasCleaned
    deliverer = Deliverer()
    if hasCleaned || isClosed || (backlog?.unclaimed ?? 0) > 0 {
      finishDelivery(hasCleaned: hasCleaned, on: thread)
    } else {
      lock.unlock()
    }
  }

  /// Brings a change to the inputs of derived constants, which come first; no lock is held.
  ///
  /// - Returns: The first observation that is none.
  @inlinable
  final func tellInputs(
    _ value: Element,
    _ version: UInt64,
    _ revision: Revision,
    from first: Unmanaged<Dust>,
    through last: Unmanaged<Dust>?,
    on thread: CurrentThread
  ) -> Unmanaged<Dust>? {
    var node = first
    while node._withUnsafeGuaranteedRef({ $0.isInput }) {
      node._withUnsafeGuaranteedRef { dust in
        // An input of this channel takes values of this element.
        let input = unsafeDowncast(dust, to: Input<Element>.self)
        if input.since < version { input.receive(value, revision, on: thread) }
      }
      guard node.toOpaque() != last?.toOpaque() else { return nil }
      guard let next = node._withUnsafeGuaranteedRef({ $0.next }) else { return nil }
      node = next
    }
    return node
  }

  /// Tells a change to the observers; no lock is held.
  @inlinable
  final func tellObservers(
    _ value: Element,
    _ version: UInt64,
    from first: Unmanaged<Dust>,
    through last: Unmanaged<Dust>?,
    on thread: CurrentThread
  ) {
    var node = first
    while true {
      node._withUnsafeGuaranteedRef { dust in
        // Behind the inputs, only an `Observation` of this element subscribes to a channel of it.
        let observation = unsafeDowncast(dust, to: Observation<Element>.self)
        if observation.since < version { observation.receive(value, on: thread) }
      }
      // The last one's `next` is not for us to read: a new observation may be joining behind it.
      guard node.toOpaque() != last?.toOpaque() else { return }
      guard let next = node._withUnsafeGuaranteedRef({ $0.next }) else { return }
      node = next
    }
  }

  /// Does what others left for the deliverer to do; takes the lock over.
  @inlinable
  final func finishDelivery(hasCleaned: Bool, on thread: CurrentThread) {
    var detached = Detached()
    if hasCleaned { detachCleaned(into: &detached) }
    if isClosed { detachAllIfIdle(into: &detached) }
    if (backlog?.unclaimed ?? 0) > 0 { thread.noteChangeOfOthers() }
    claim(on: thread)
    lock.unlock()
    detached.release()
  }

  /// Whether nothing has to be told before the next change; the lock is held.
  @inlinable
  final var isIdle: Bool { deliverer.thread == 0 && (backlog?.changes.isEmpty ?? true) }

  /// Appends a change to the backlog; the lock is held.
  @inlinable
  final func enqueue(_ value: Element, heldBy holder: UInt64 = 0) {
    let backlog = self.backlog ?? Backlog()
    self.backlog = backlog
    backlog.changes.append(Change(value: value, version: version, holder: holder))
    if holder == 0 {
      backlog.unclaimed = version
    } else {
      backlog.held += 1
    }
  }

  /// Gives the unclaimed changes a place in the thread's round, if they are its to tell; the lock is
  /// held.
  @inlinable
  final func claim(on thread: CurrentThread, isOwn: Bool = false) {
    guard let backlog, backlog.unclaimed > 0 else { return }
    // What this thread itself holds back has an earlier place in the same round.
    guard !backlog.isFirstHeld || thread.pointee.began(backlog.changes[0].holder) else { return }
    guard deliverer.thread == 0 || deliverer.thread == thread.id else { return }
    // Who is inside an observer takes over nothing: that may be waiting for what is offered.
    if deliverer.isOffered, isOwn, thread.pointee.isTelling { return }
    thread.append(
      Delivery(of: self, at: backlog.unclaimed) { channel, version, thread in
        // The closure is that of this very channel.
        unsafeDowncast(channel, to: Channel.self).deliverBacklog(through: version, on: thread)
      },
      isOwn: isOwn
    )
    if deliverer.isOffered {
      deliverer.takeOffer()
      backlog.takenOver = (through: backlog.unclaimed, by: thread.id)
    }
    backlog.unclaimed = 0
  }

  /// Tells the pending changes up to a version, unless another thread is at it, or one is held back:
  /// then whoever stands in the way sees to the rest.
  @inlinable
  final func deliverBacklog(through version: UInt64, on thread: CurrentThread) {
    while true {
      lock.lock()
      if thread.isDueForRelief, tryToHandOver(on: thread, through: version) { return lock.unlock() }
      guard let backlog, !backlog.changes.isEmpty, backlog.changes[0].version <= version,
        version > backlog.takenOver.through || thread.id == backlog.takenOver.by
      else {
        return lock.unlock()
      }
      guard deliverer.thread == 0, !backlog.isFirstHeld else {
        backlog.unclaimed = max(backlog.unclaimed, version)
        backlog.takenOver.through = 0
        return lock.unlock()
      }
      guard let change = backlog.changes.popFirst() else { return lock.unlock() }
      deliver(change.value, version: change.version, on: thread)
      if change.version == version { return }
    }
  }

  /// Offers to tell the pending changes up to a version; the lock is held before and after.
  @usableFromInline
  final func tryToHandOver(on thread: CurrentThread, through version: UInt64) -> Bool {
    guard let backlog else { return false }
    backlog.unclaimed = max(backlog.unclaimed, version)
    return tryToHandOver(on: thread)
  }

  /// Lets a change that was held back be told, and tells it in its turn among the others; takes the
  /// lock over.
  @inlinable
  final func releaseHeldBack(at index: Int32?, on thread: CurrentThread) {
    let own = index.flatMap { backlog?.release(at: $0) }
    claim(on: thread)
    lock.unlock()
    if let own { deliverBacklog(through: own, on: thread) }
  }

  override final func untrack() {
    lock.withLock { backlog?.tracking }?.dust.clean()
  }

  @usableFromInline
  override final func detachAllIfIdle(into detached: inout Detached) {
    if isIdle, writer == 0 { detachAll(into: &detached) }
  }
}

/// One change that is still to be told.
@usableFromInline
struct Change<Element> {
  @usableFromInline let value: Element
  @usableFromInline let version: UInt64

  /// The transaction that made the change and has not come to tell it, or zero if it may be told.
  @usableFromInline var holder: UInt64

  @inlinable
  init(value: Element, version: UInt64, holder: UInt64) {
    self.value = value
    self.version = version
    self.holder = holder
  }
}

/// The changes of a channel that are still to be told, and what else few channels need; made when
/// there first is any of it.
@usableFromInline
final class Backlog<Element> {
  /// In write order.
  @exclusivity(unchecked) @usableFromInline final var changes = FIFO<Change<Element>>()

  /// The version up to which they may be told and have no place in any thread's round, or zero.
  @exclusivity(unchecked) @usableFromInline final var unclaimed: UInt64 = 0

  /// The version up to which a thread has taken over what was offered: the places of others don't count
  /// up to there, unless that thread finds somebody in its way.
  @exclusivity(unchecked)
  @usableFromInline final var takenOver: (through: UInt64, by: UInt32) = (0, 0)

  /// What passes the changes on to Observation, if the value was read where that tracks.
  @exclusivity(unchecked) @usableFromInline final var tracking: (tracker: Tracker, dust: Dust)?

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
  func take(heldBy transaction: UInt64) -> Change<Element>? {
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
