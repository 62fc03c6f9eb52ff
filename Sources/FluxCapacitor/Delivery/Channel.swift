import Synchronization

/// An ordered stream of changes to any number of observers: the one delivery path of the library.
///
/// A change is delivered immediately if nothing is in the way. Otherwise it joins the backlog,
/// which is in write order, and takes a place in its thread's round. One thread at a time delivers,
/// so calls to one observer never overlap or change order; see `AnyChannel` for the invariants.
@usableFromInline class Channel<Element: Sendable>: AnyChannel, @unchecked Sendable {
  /// The attachments, created if there are none. The lock must be held.
  @inlinable final func existingAttachments() -> Attachments<Element> {
    // Only this creates them.
    if let anyAttachments { return unsafeDowncast(anyAttachments, to: Attachments<Element>.self) }
    let attachments = Attachments<Element>()
    anyAttachments = attachments
    return attachments
  }

  /// The changes that wait, if there have ever been any. Unretained, because attachments stay as long as
  /// the channel. The lock must be held.
  @inlinable final var attachments: Unmanaged<Attachments<Element>>? {
    anyAttachments.map {
      .passUnretained(unsafeDowncast($0, to: Attachments<Element>.self))
    }
  }

  override func makeAttachments() -> AnyAttachments { existingAttachments() }

  // MARK: One change

  /// A change that a thread is going to deliver, and to whom.
  @usableFromInline typealias Delivery = (
    version: Version, observers: Stretch, downstream: Unmanaged<Downstream>?
  )

  /// Decides how this thread's change is delivered: by `deliver` after unlocking or, if something is
  /// in the way, in its place in the round. The lock must be held.
  @inlinable final func schedule(_ value: Element, on thread: CurrentThread) -> Delivery? {
    let isFree = !thread.pointee.isDelivering && thread.pointee.openTransactions == 0
    if isFree, thread.pointee.round.isEmpty, isIdle {
      return beginDelivering(version, on: thread)
    }
    enqueue(value)
    takePlace(through: version, on: thread)
    return nil
  }

  /// Delivers a change that was scheduled, if it has no place in the round, and then the round.
  @inlinable
  final func deliverNow(_ value: Element, _ delivery: Delivery?, on thread: CurrentThread) {
    if let delivery {
      thread.pointee.isDelivering = true
      deliver(value, delivery, on: thread)
      thread.pointee.isDelivering = false
    }
    thread.settle()
  }

  /// Makes this thread the deliverer of a change. The lock must be held.
  @inlinable final func beginDelivering(_ version: Version, on thread: CurrentThread) -> Delivery {
    deliverer.assign(to: thread)
    // Unretained, because it stays as long as this channel.
    let downstream = anyAttachments?.downstream.map { Unmanaged.passUnretained($0) }
    downstream?._withUnsafeGuaranteedRef { $0.prepareRegion(for: version) }
    return (version, stretch, downstream)
  }

  /// Computes what derives from a change, and calls all observers that are older than the change.
  @inlinable final func deliver(_ value: Element, _ delivery: Delivery, on thread: CurrentThread) {
    if let downstream = delivery.downstream {
      withUnsafePointer(to: value) { value in
        downstream._withUnsafeGuaranteedRef { $0.compute(from: value, on: thread) }
      }
    }
    AnyChannel.walk(delivery.observers) { dust in
      // All observations of this channel are of its element.
      let observation = unsafeDowncast(dust, to: Observation<Element>.self)
      if observation.since < delivery.version { observation.receive(value, on: thread) }
    }
    delivery.downstream?._withUnsafeGuaranteedRef { $0.callRegionObservers(on: thread) }
    lock.lock()
    let hasCleaned = deliverer.hasCleaned
    deliverer = Deliverer()
    let hasMore = hasCleaned || isClosed || anyAttachments?.left != nil
    let leavers = hasMore ? endDelivering(hasCleaned: hasCleaned, on: thread) : nil
    lock.unlock()
    leavers?.release()
  }

  /// Does what other threads left for the deliverer to do. The lock must be held.
  @inlinable
  final func endDelivering(hasCleaned: Bool, on thread: CurrentThread) -> Leavers {
    var leavers = hasCleaned ? removeLeavers() : Leavers()
    if isClosed { detachAllIfIdle(into: &leavers.detached) }
    if anyAttachments?.left != nil {
      thread.pointee.changesOfOthers &+= 1
      takePlaceForLeft(on: thread)
    }
    return leavers
  }

  // MARK: The backlog

  /// Whether nothing has to be delivered before the next change. The lock must be held.
  @inlinable final var isIdle: Bool {
    !deliverer.isDelivering && (attachments?.use { $0.backlog.isEmpty } ?? true)
  }

  /// Appends a change to the backlog. The lock must be held.
  @inlinable final func enqueue(_ value: Element) {
    let attachments = attachments ?? .passUnretained(existingAttachments())
    attachments.use { $0.backlog.append((value, version)) }
  }

  /// Takes a place in the round for what this thread has appended to the backlog, or leaves it to the
  /// thread that is delivering. The lock must be held.
  @inlinable final func takePlace(through version: Version, on thread: CurrentThread) {
    guard mayDeliver(on: thread) else { return leave(through: version) }
    if deliverer.isOffered { deliverer.assign(to: thread) }
    thread.append(
      PendingDelivery(to: self, through: version) {
        // The delivery's target is this channel.
        unsafeDowncast($0, to: Channel.self).deliverBacklog(through: $1, on: $2)
      },
      isOwn: true
    )
  }

  /// Makes this thread, which is going to take a place in its round, the deliverer, or leaves the backlog
  /// to the thread that is. The lock must be held.
  @inlinable final func assignDelivery(through version: Version, to thread: CurrentThread) {
    if mayDeliver(on: thread) { deliverer.assign(to: thread) } else { leave(through: version) }
  }

  /// Whether no other thread is delivering, and this one may take over what is offered: not inside an
  /// observer, which may itself wait for that. The lock must be held.
  @inlinable final func mayDeliver(on thread: CurrentThread) -> Bool {
    deliverer.isOpen(to: thread) && !(deliverer.isOffered && thread.pointee.isDelivering)
  }

  /// Leaves the backlog up to a version to the deliverer. The lock must be held.
  @inlinable final func leave(through version: Version) {
    let attachments = existingAttachments()
    attachments.left = max(attachments.left ?? version, version)
  }

  /// Takes a place in the round for what other threads have left to the deliverer, if it has none. The
  /// lock must be held.
  @inlinable final func takePlaceForLeft(on thread: CurrentThread) {
    guard let attachments = anyAttachments, !attachments.isLeftPlaced else { return }
    attachments.isLeftPlaced = true
    thread.append(
      PendingDelivery(to: self) { channel, _, thread in
        // The delivery's target is this channel.
        unsafeDowncast(channel, to: Channel.self).deliverLeft(on: thread)
      },
      isOwn: false
    )
  }

  /// Delivers what other threads have left, unless another thread has taken that over.
  @inlinable final func deliverLeft(on thread: CurrentThread) {
    let version = lock.withLock {
      anyAttachments?.isLeftPlaced = false
      return deliverer.isOpen(to: thread) ? anyAttachments?.left.take() : nil
    }
    if let version { deliverBacklog(through: version, on: thread) }
  }

  /// Delivers the backlog up to a version, unless another thread is delivering, which then delivers
  /// the rest.
  @inlinable final func deliverBacklog(through version: Version, on thread: CurrentThread) {
    var isDone = false
    while !isDone {
      lock.lock()
      let change = nextChange(through: version, on: thread)
      let delivery = change.map { beginDelivering($0.version, on: thread) }
      lock.unlock()
      guard let change, let delivery else { return }
      deliver(change.value, delivery, on: thread)
      isDone = change.version == version
    }
  }

  /// Takes out the next change that this thread may deliver, up to a version. The lock must be held.
  @inlinable final func nextChange(
    through version: Version,
    on thread: CurrentThread
  ) -> Attachments<Element>.Change? {
    if thread.isDueForHandover {
      leave(through: version)
      if tryToHandOver(on: thread) { return nil }
    }
    guard deliverer.isOpen(to: thread) else {
      leave(through: version)
      return nil
    }
    return attachments?.use { attachments in
      if !attachments.backlog.isEmpty, attachments.backlog[0].version <= version {
        return attachments.backlog.popFirst()
      }
      // While this thread offered to hand over, another may have left a change to whoever delivers.
      if attachments.left != nil { takePlaceForLeft(on: thread) }
      return nil
    }
  }

  // MARK: The end

  /// Counts one handle less, and closes the channel after the last one. Releasing and acquiring:
  /// what was done through any of the handles has happened by then.
  @inlinable final func dropHandle() {
    let left = handles.write { $0.subtract(1, ordering: .acquiringAndReleasing) }.newValue
    if left & ~AnyChannel.derived == 0 { close() }
  }

  @usableFromInline final func close() {
    // A derived channel goes on for its observers, but not for a tracker: nothing can read it now.
    // Without the last handle, nobody sets the tracker, so no lock is needed: this may be the deinit of
    // something that a mutation discards.
    if isDerived { return anyAttachments?.tracking?.dust.clean() ?? () }
    var detached = DetachedObservations()
    acquire()
    detachAllIfIdle(into: &detached)
    lock.unlock()
    detached.release()
  }

  /// Removes all observations if nothing remains to be delivered. The lock must be held.
  @usableFromInline final func detachAllIfIdle(into detached: inout DetachedObservations) {
    if isIdle, mark.isNone { detachAll(into: &detached) }
  }
}
