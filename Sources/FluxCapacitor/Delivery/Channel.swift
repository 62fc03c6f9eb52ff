import Synchronization

/// An ordered stream of changes to any number of observers: the one delivery path of the library.
///
/// A change is delivered immediately if nothing is in the way. Otherwise it joins the backlog,
/// which is in write order, and takes a place in its thread's round. One thread at a time delivers,
/// so calls to one observer never overlap or change order; see `AnyChannel` for the invariants.
@usableFromInline
class Channel<Element: Sendable>: AnyChannel, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline final var backlog: Backlog<Element>?

  /// Subscribes an observation to a computed value, with which it is called first unless
  /// `ignoreFirst`.
  @usableFromInline
  func join(_ observation: Observation<Element>, on queue: ExecuteQueue, ignoreFirst: Bool) {
    trap("\(self) computes nothing.")
  }

  /// The computed value, for an observer that must be called with the next change after it. If the
  /// value is from the middle of a transaction, that may be no change for other observers.
  func value(joinedBy observer: Dust) -> Element {
    trap("\(self) computes nothing.")
  }

  /// Delivers a change, or queues it after those that come first. Unlocks the lock.
  @inlinable
  final func announce(_ value: Element, on thread: CurrentThread) {
    if isIdle, !thread.pointee.isDelivering, thread.pointee.round.isEmpty {
      thread.pointee.isDelivering = true
      deliver(value, version: version, on: thread)
      thread.pointee.isDelivering = false
    } else {
      enqueue(value)
      takePlace(on: thread, isOwn: true)
      lock.unlock()
    }
    thread.settle()
  }

  /// Delivers a change to all observations that are older than it. Unlocks the lock.
  @inlinable
  final func deliver(_ value: Element, version: UInt64, on thread: CurrentThread) {
    guard let first else { return lock.unlock() }
    deliverer = Deliverer(thread)
    let last = first._withUnsafeGuaranteedRef { $0.previous }
    let downstream = hasInputs ? downstream : nil
    lock.unlock()
    if let downstream {
      downstream._withUnsafeGuaranteedRef {
        $0.deliver(self, value, version, (first, last), thread)
      }
    } else {
      deliverToObservers(value, version, from: first, through: last, on: thread)
    }
    lock.lock()
    let hasCleaned = deliverer.hasCleaned
    deliverer = Deliverer()
    if hasCleaned || isClosed || (backlog?.unplaced ?? 0) > 0 {
      finishDelivery(hasCleaned: hasCleaned, on: thread)
    } else {
      lock.unlock()
    }
  }

  /// Invalidates everything that derives from this channel. The lock must be held.
  @inlinable
  final func invalidate(_ change: UInt64, isMoved: Bool = false) {
    downstream?._withUnsafeGuaranteedRef { $0.invalidate(self, change, isMoved) }
  }

  /// Unretained, because it stays as long as this channel. The lock must be held.
  @inlinable
  final var downstream: Unmanaged<Backlog<Element>.Downstream>? {
    backlog?.downstream.map { .passUnretained($0) }
  }

  /// Calls the observers with a change. No lock may be held.
  @inlinable
  final func deliverToObservers(
    _ value: Element,
    _ version: UInt64,
    from first: Unmanaged<Dust>,
    through last: Unmanaged<Dust>?,
    on thread: CurrentThread
  ) {
    AnyChannel.walk(from: first, through: last) { dust in
      // After the inputs, all observations of this channel are of its element.
      let observation = unsafeDowncast(dust, to: Observation<Element>.self)
      if observation.since < version { observation.receive(value, on: thread) }
      return true
    }
  }

  /// Does what other threads left for the deliverer to do. Unlocks the lock.
  @inlinable
  final func finishDelivery(hasCleaned: Bool, on thread: CurrentThread) {
    var detached = DetachedObservations()
    if hasCleaned { detachCleaned(into: &detached) }
    if isClosed { detachAllIfIdle(into: &detached) }
    if (backlog?.unplaced ?? 0) > 0 { thread.pointee.changesOfOthers &+= 1 }
    takePlace(on: thread)
    lock.unlock()
    detached.release()
  }

  /// Whether nothing has to be delivered before the next change. The lock must be held.
  @inlinable
  final var isIdle: Bool { deliverer.thread == 0 && (backlog?.changes.isEmpty ?? true) }

  /// The backlog, created if there is none. The lock must be held.
  @inlinable
  final func existingBacklog() -> Backlog<Element> {
    if let backlog { return backlog }
    let backlog = Backlog<Element>()
    self.backlog = backlog
    return backlog
  }

  /// Appends a change to the backlog. The lock must be held.
  @inlinable
  final func enqueue(_ value: Element, heldBy holder: UInt64 = 0) {
    let backlog = existingBacklog()
    backlog.changes.append((value, version, holder))
    if holder == 0 {
      backlog.unplaced = version
    } else {
      backlog.held += 1
    }
  }

  /// Gives the unplaced changes a place in the thread's round, if it is the one to deliver them.
  /// The lock must be held.
  @inlinable
  final func takePlace(on thread: CurrentThread, isOwn: Bool = false) {
    guard let backlog, backlog.unplaced > 0 else { return }
    // A change that this thread itself holds back has an earlier place in the same round.
    guard !backlog.isFirstHeld || thread.pointee.began(backlog.changes[0].holder) else { return }
    guard deliverer.thread == 0 || deliverer.thread == thread.id else { return }
    // Don't take over an offer inside an observer, which may itself wait for what is offered.
    if deliverer.isOffered, isOwn, thread.pointee.isDelivering { return }
    thread.append(
      PendingDelivery(to: self, at: backlog.unplaced) { channel, version, thread in
        // The delivery's target is this channel.
        unsafeDowncast(channel, to: Channel.self).deliverBacklog(through: version, on: thread)
      },
      isOwn: isOwn
    )
    if deliverer.isOffered {
      deliverer = Deliverer()
      backlog.takenOver = (through: backlog.unplaced, by: thread.id)
    }
    backlog.unplaced = 0
  }

  /// Delivers the backlog up to a version, unless another thread is delivering or a change is held
  /// back: then the thread that is in the way delivers the rest.
  @inlinable
  final func deliverBacklog(through version: UInt64, on thread: CurrentThread) {
    while true {
      lock.lock()
      if thread.isDueForHandover, let backlog {
        backlog.unplaced = max(backlog.unplaced, version)
        if tryToHandOver(on: thread) { return lock.unlock() }
      }
      guard let backlog, !backlog.changes.isEmpty, backlog.changes[0].version <= version,
        version > backlog.takenOver.through || thread.id == backlog.takenOver.by
      else {
        // While this thread offered to hand over, another may have left a change to whoever delivers.
        takePlace(on: thread)
        return lock.unlock()
      }
      guard deliverer.thread == 0, !backlog.isFirstHeld else {
        backlog.unplaced = max(backlog.unplaced, version)
        backlog.takenOver.through = 0
        return lock.unlock()
      }
      guard let change = backlog.changes.popFirst() else { return lock.unlock() }
      deliver(change.value, version: change.version, on: thread)
      if change.version == version { return }
    }
  }

  /// Lets a change that was held back be delivered, and delivers it in its order among the others.
  /// Unlocks the lock.
  @inlinable
  final func releaseHeldBack(at index: Int32?, on thread: CurrentThread) {
    let own = index.flatMap { backlog?.release(at: $0) }
    takePlace(on: thread)
    lock.unlock()
    if let own { deliverBacklog(through: own, on: thread) }
  }

  /// Counts one handle less, and closes the channel after the last one. Releasing and acquiring:
  /// what was done through any of the handles has happened by then.
  @inlinable
  final func dropHandle() {
    lock.schedulePoint(.write)
    let left = handles.subtract(1, ordering: .acquiringAndReleasing).newValue
    if left & ~AnyChannel.derived == 0 { close() }
  }

  @usableFromInline
  final func close() {
    // A derived channel goes on for its observers, but not for a tracker: nothing can read it now.
    if isDerived { return lock.withLock { backlog?.tracking }?.dust.clean() ?? () }
    var detached = DetachedObservations()
    acquire()
    detachAllIfIdle(into: &detached)
    lock.unlock()
    detached.release()
  }

  /// Removes all observations if nothing remains to be delivered. The lock must be held.
  @usableFromInline
  final func detachAllIfIdle(into detached: inout DetachedObservations) {
    if isIdle, writer == 0 { detachAll(into: &detached) }
  }
}
