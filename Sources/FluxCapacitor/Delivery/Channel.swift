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
    if isIdle, !thread.pointee.isDelivering, thread.pointee.round.isEmpty {
      thread.pointee.isDelivering = true
      deliver(value, version: version, on: thread)
      thread.pointee.isDelivering = false
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
    // It stays as long as this channel.
    let downstream = hasInputs ? backlog.map { Unmanaged.passUnretained($0) } : nil
    lock.unlock()
    var (next, isRelayed): (Unmanaged<Dust>?, Bool) = (first, false)
    if let receive = downstream?._withUnsafeGuaranteedRef({ $0.receive }) {
      (next, isRelayed) = receive(self, value, version, (first, last), thread)
    }
    if let next { deliverToObservers(value, version, from: next, through: last, on: thread) }
    if isRelayed {
      downstream?._withUnsafeGuaranteedRef { $0.relay }?(
        self,
        value,
        version,
        (first, last),
        thread
      )
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

  /// Notes that a change is on its way to all that derives from this; the lock is held.
  @inlinable
  final func invalidate(_ change: UInt64, isMoved: Bool = false, on thread: CurrentThread) {
    backlog?.invalidate?(self, change, isMoved, thread)
  }

  /// Tells a change to the observers; no lock is held.
  @inlinable
  final func deliverToObservers(
    _ value: Element,
    _ version: UInt64,
    from first: Unmanaged<Dust>,
    through last: Unmanaged<Dust>?,
    on thread: CurrentThread
  ) {
    AnyChannel.walk(from: first, through: last) { dust in
      // Behind the inputs, only an `Observation` of this element subscribes to a channel of it.
      let observation = unsafeDowncast(dust, to: Observation<Element>.self)
      if observation.since < version { observation.receive(value, on: thread) }
      return true
    }
  }

  /// Does what others left for the deliverer to do; takes the lock over.
  @inlinable
  final func finishDelivery(hasCleaned: Bool, on thread: CurrentThread) {
    var detached = DetachedObservations()
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

  /// The backlog, made if there is none; the lock is held.
  @inlinable
  final func existingBacklog() -> Backlog<Element> {
    if let backlog { return backlog }
    let backlog = Backlog<Element>()
    self.backlog = backlog
    return backlog
  }

  /// Appends a change to the backlog; the lock is held.
  @inlinable
  final func enqueue(_ value: Element, heldBy holder: UInt64 = 0) {
    let backlog = existingBacklog()
    backlog.changes.append((value, version, holder))
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
    if deliverer.isOffered, isOwn, thread.pointee.isDelivering { return }
    thread.append(
      Delivery(to: self, at: backlog.unclaimed) { channel, version, thread in
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
      if thread.isDueForHandover, tryToHandOver(on: thread, through: version) {
        return lock.unlock()
      }
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
  override final func detachAllIfIdle(into detached: inout DetachedObservations) {
    if isIdle, writer == 0 { detachAll(into: &detached) }
  }
}
