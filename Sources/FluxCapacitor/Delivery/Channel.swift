import Synchronization

/// An ordered stream of changes to any number of observers: the one delivery path of the library.
///
/// A change is delivered immediately if nothing is in the way. Otherwise the change joins the backlog,
/// which is in the order of the writes, and takes a place in its thread's round. One thread at a time
/// delivers, so calls of one observer never overlap or change order. `AnyChannel` lists the invariants.
@usableFromInline class Channel<Element: Sendable>: AnyChannel, @unchecked Sendable {
  /// Returns the attachments, which are created if there are none. The lock must be held.
  @inlinable final func ensureAttachments() -> Attachments<Element> {
    // Only this method creates attachments.
    if let anyAttachments { return unsafeDowncast(anyAttachments, to: Attachments<Element>.self) }
    let attachments = Attachments<Element>()
    anyAttachments = attachments
    return attachments
  }

  /// The attachments, if there are any. They are not retained, because they stay as long as the
  /// channel. The lock must be held.
  @inlinable final var attachments: Unmanaged<Attachments<Element>>? {
    anyAttachments.map {
      .passUnretained(unsafeDowncast($0, to: Attachments<Element>.self))
    }
  }

  override func ensureAnyAttachments() -> AnyAttachments { ensureAttachments() }

  // MARK: One change

  /// A change that a thread is going to deliver, with the observers and the region that receive it.
  @usableFromInline typealias Delivery = (
    version: Version, observers: Stretch, region: Unmanaged<DerivedRegion>?
  )

  /// Decides how this thread's change is delivered. The lock must be held.
  ///
  /// - Returns: The delivery for `deliverNow`, after unlocking. It is `nil` if something is in the way. The
  ///   change is then delivered in its place in the round.
  @inlinable final func schedule(_ value: Element, on thread: CurrentThread) -> Delivery? {
    let isFree = !thread.pointee.isDelivering && thread.pointee.openTransactions == 0
    if isFree, thread.pointee.round.isEmpty, isIdle {
      return beginDelivering(version, on: thread)
    }
    enqueue(value)
    takePlace(on: thread)
    return nil
  }

  /// Delivers a change that was scheduled, if it has no place in the round, and then the round.
  @inlinable
  final func deliverNow(_ value: Element, _ delivery: Delivery?, on thread: CurrentThread) {
    guard let delivery else { return thread.settle() }
    thread.whileDelivering { deliver(value, delivery, on: thread) }
  }

  /// Makes this thread the deliverer of a change. The lock must be held.
  @inlinable final func beginDelivering(_ version: Version, on thread: CurrentThread) -> Delivery {
    deliverer = Deliverer(thread)
    // The region is not retained, because it stays as long as this channel.
    let region = anyAttachments?.downstream?.ownRegion.map { Unmanaged.passUnretained($0) }
    region?.use { $0.prepare(for: version) }
    return (version, stretch, region)
  }

  /// Computes the constants that a change reaches, and calls all observers that are older than the change.
  @inlinable final func deliver(_ value: Element, _ delivery: Delivery, on thread: CurrentThread) {
    if let region = delivery.region {
      withUnsafePointer(to: value) { value in region.use { $0.compute(from: value, on: thread) } }
    }
    callObservers(in: delivery.observers, with: value, of: delivery.version, on: thread)
    delivery.region?.use { $0.callObservers(on: thread) }
    endDelivering(on: thread)
  }

  /// Calls the observers that are older than a change, and the observers that are owed a call.
  ///
  /// - Parameter isChanged: Whether the value is a different one. If not, only the observers that
  ///   are owed a call are called.
  @inlinable final func callObservers(
    in stretch: Stretch,
    with value: Element,
    of version: Version,
    isChanged: Bool = true,
    on thread: CurrentThread
  ) {
    AnyChannel.walk(stretch) { dust in
      // All observations of this channel have its element type.
      let observation = unsafeDowncast(dust, to: Observation<Element>.self)
      guard isChanged && observation.since < version || observation.isOwed else { return }
      observation.isOwed = false
      observation.receive(value, on: thread)
    }
  }

  // MARK: The backlog

  /// Appends a change to the backlog. The lock must be held.
  @inlinable final func enqueue(_ value: Element) {
    let attachments = attachments ?? .passUnretained(ensureAttachments())
    attachments.use {
      $0.backlog.append((value, version))
      $0.hasBacklog = true
    }
  }

  /// Takes a place in the round for the changes that this thread has appended to the backlog. If another
  /// thread is delivering, leaves them to that thread. The lock must be held.
  @inlinable final func takePlace(on thread: CurrentThread) {
    guard takeOffer(on: thread) else { return leave(through: version) }
    thread.append(place(through: version, isOpen: false), isOwn: true)
  }

  @usableFromInline override func place(through version: Version) -> PendingDelivery {
    place(through: version, isOpen: false)
  }

  /// Returns a place in a round, which delivers the backlog up to a version.
  @inlinable
  final func place(through version: Version, isOpen: Bool) -> PendingDelivery {
    PendingDelivery(to: self, through: version, isOpen: isOpen) {
      // The place's target is this channel.
      unsafeDowncast($0, to: Channel.self).deliverBacklog(through: $1, on: $2)
    }
  }

  /// Delivers the backlog up to a version. If another thread is delivering, that thread delivers the rest.
  @inlinable final func deliverBacklog(through version: Version, on thread: CurrentThread) {
    var isDone = false
    while !isDone {
      if thread.isDueForHandover, handOver(through: version, on: thread) { return }
      lock.lock()
      let change = nextChange(through: version, on: thread)
      let delivery = change.map { beginDelivering($0.version, on: thread) }
      lock.unlock()
      guard let change, let delivery else { return }
      deliver(change.value, delivery, on: thread)
      isDone = change.version == version
    }
  }

  /// Removes and returns the next change that this thread may deliver, up to a
  /// version. The lock must be held.
  @inlinable final func nextChange(
    through version: Version,
    on thread: CurrentThread
  ) -> Attachments<Element>.Change? {
    guard !deliverer.isDelivering else {
      leave(through: version)
      return nil
    }
    return attachments?.use { attachments in
      if !attachments.backlog.isEmpty, attachments.backlog[0].version <= version {
        defer { attachments.hasBacklog = !attachments.backlog.isEmpty }
        return attachments.backlog.popFirst()
      }
      // While this thread offered a handover, another thread may have left a change to the deliverer.
      if let left = attachments.left.take() { thread.append(place(through: left), isOwn: false) }
      return nil
    }
  }

  // MARK: The end

  /// Counts one handle less, and closes the channel after the last one.
  ///
  /// The ordering is acquiring and releasing: all work that was done through any of the
  /// handles has happened by then.
  @inlinable final func dropHandle() {
    let left = handles.write { $0.subtract(1, ordering: .acquiringAndReleasing) }.newValue
    if left & ~AnyChannel.derived == 0 { close() }
  }

  @usableFromInline final func close() {
    // A derived channel continues for its observers, but not for a tracker: nothing can read the value now.
    // No lock is needed, because without a handle, no thread sets the tracker. Nor may the thread wait for
    // the region's lock here: the deinit of a value that a mutation discards may call this method.
    if isDerived { return anyAttachments?.tracking?.dust.clean() ?? () }
    var detached = Detached()
    acquire()
    closeIfIdle(into: &detached)
    lock.unlock()
    detached.release()
  }
}
