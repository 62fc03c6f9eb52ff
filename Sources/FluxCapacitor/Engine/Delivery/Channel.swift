import Synchronization

/// An ordered stream of changes to any number of observers. Channels deliver all changes in the library.
///
/// A channel delivers a change immediately if the writing thread is free and no earlier change is
/// pending. Otherwise, the channel appends the change to its backlog, a queue of changes in the order of
/// the writes. The writing thread then adds a place for the channel to its round, the thread's queue of
/// deliveries. If another thread is delivering the channel, that thread also delivers the new change.
///
/// Only one thread at a time delivers a channel, so calls of one observer never overlap or change order.
/// The documentation of `AnyChannel` lists the invariants.
@usableFromInline class Channel<Element: Sendable>: AnyChannel, @unchecked Sendable {
  /// Returns the channel's extras, and creates the extras on first use. The caller must hold
  /// the lock of the channel's region.
  @inlinable final func ensureExtras() -> ChannelExtras<Element> {
    if let extras { return extras.takeUnretainedValue() }
    let extras = ChannelExtras<Element>()
    extrasWord.add(extras)
    return extras
  }

  /// The channel's extras with their element type. The cast is safe, because only
  /// `ensureExtras` creates extras.
  @inlinable final var extras: Unmanaged<ChannelExtras<Element>>? {
    extrasWord.extras.map { .fromOpaque($0.toOpaque()) }
  }

  override func ensureAnyExtras() -> AnyChannelExtras { ensureExtras() }

  // MARK: One change

  /// A change that a thread is about to deliver, with the observers and derived constants that receive
  /// it.
  @usableFromInline typealias ChangeInProgress = (
    version: Version, observers: Stretch, region: Unmanaged<Region>?
  )

  /// Decides whether this thread delivers a new change immediately, or adds the change to the backlog.
  /// The caller must hold the channel's lock.
  ///
  /// - Returns: The delivery to pass to `deliverNow` after unlocking, or `nil` if the change is in the
  ///   backlog.
  @inlinable final func schedule(_ value: Element, on thread: CurrentThread) -> ChangeInProgress? {
    if !thread.pointee.isDelivering, !thread.holdsLock, thread.pointee.round.isEmpty, isIdle {
      return beginDelivering(version, on: thread)
    }
    enqueue(value)
    takePlace(by: Channel.deliverBacklog, on: thread)
    return nil
  }

  /// Performs the delivery that `schedule` has returned, if any, and then this thread's pending
  /// deliveries.
  @inlinable
  final func deliverNow(_ value: Element, _ delivery: ChangeInProgress?, on thread: CurrentThread) {
    guard let delivery else { return thread.deliverPlaces() }
    thread.whileDelivering {
      deliver(value, delivery, on: thread)
      endDelivering(on: thread)
    }
  }

  /// Records that this thread is now delivering the channel. The caller must hold the channel's lock.
  @inlinable final func beginDelivering(_ version: Version, on thread: CurrentThread)
    -> ChangeInProgress
  {
    deliverer = Deliverer(thread)
    let region = extrasWord.extras?.use { $0.region }
    region?.use { $0.prepare(for: version) }
    return (version, stretch, region)
  }

  /// Computes the region's constants that a change affects, brings their values to other regions, and calls all
  /// observers that subscribed before the change.
  @inlinable final func deliver(
    _ value: Element,
    _ delivery: ChangeInProgress,
    on thread: CurrentThread
  ) {
    if let region = delivery.region {
      withUnsafePointer(to: value) { value in region.use { $0.compute(from: value, on: thread) } }
    }
    callObservers(in: delivery.observers, with: value, of: delivery.version, on: thread)
    delivery.region?.use { $0.deliverComputed(on: thread) }
  }

  /// Calls the observers that subscribed before a change.
  @inlinable final func callObservers(
    in stretch: Stretch,
    with value: Element,
    of version: Version,
    on thread: CurrentThread
  ) {
    AnyChannel.walk(stretch) { dust in
      // The downcast is safe because all observations of a channel have the channel's element type.
      let observation = unsafeDowncast(dust, to: Observation<Element>.self)
      if observation.since < version { observation.receive(value, on: thread) }
    }
  }

  // MARK: The backlog

  /// Appends a change to the backlog, the channel's queue of pending changes. The caller must hold the
  /// channel's lock.
  @inlinable final func enqueue(_ value: Element, isOpen: Bool = false) {
    (extras ?? .passUnretained(ensureExtras())).use {
      $0.backlog.append((value, version, isOpen))
      $0.hasBacklog = true
    }
  }

  /// The closure of a place for the backlog. A place is forwarded to another thread together with this closure,
  /// because the code of the class itself would deliver unspecialized.
  @inlinable static var deliverBacklog: Place.Deliver {
    // The downcast is safe because the closure receives its place's target, which is a channel of this type.
    { unsafeDowncast($0, to: Channel.self).deliverBacklog(through: $1, on: $2) }
  }

  /// Delivers the backlog's changes up to a version. If another thread is already delivering the
  /// channel, that thread delivers the remaining changes.
  @inlinable final func deliverBacklog(through version: Version, on thread: CurrentThread) {
    if thread.isDueForHandover, handOver(through: version, by: Channel.deliverBacklog, on: thread) {
      return
    }
    var detached: Detached?
    lock.lock()
    while let isLast = deliverNextChange(through: version, on: thread) {
      // The next change is taken in the same critical section, unless other work needs the lock released.
      lock.lock()
      detached = becomeIdle(takingForwardedChanges: isLast, on: thread)
      if isLast { break }
      if detached == nil, !thread.isDueForHandover { continue }
      lock.unlock()
      detached.take()?.release()
      if thread.isDueForHandover,
        handOver(through: version, by: Channel.deliverBacklog, on: thread)
      {
        return
      }
      lock.lock()
    }
    lock.unlock()
    detached?.release()
  }

  /// Unlocks, and delivers the next change of the backlog, up to a version. When this method returns, it has also
  /// released the change, because a `deinit` can run user code. The caller must hold the channel's lock.
  ///
  /// - Returns: Whether the change was the last one, or `nil` if there was none. Then the channel is still locked.
  @inlinable final func deliverNextChange(
    through version: Version,
    on thread: CurrentThread
  ) -> Bool? {
    guard let change = nextChange(through: version, on: thread) else { return nil }
    let delivery = beginDelivering(change.version, on: thread)
    lock.unlock()
    deliver(change.value, delivery, on: thread)
    return change.version == version
  }

  /// Removes and returns the next change of the backlog, up to a version. Returns `nil` if the backlog
  /// has no such change, or if another thread is delivering the channel. The caller must hold the
  /// channel's lock.
  @inlinable final func nextChange(
    through version: Version,
    on thread: CurrentThread
  ) -> ChannelExtras<Element>.Change? {
    guard !deliverer.isDelivering else {
      forward(through: version, by: Channel.deliverBacklog)
      return nil
    }
    return extras?.use { extras in
      if !extras.backlog.isEmpty, !extras.backlog[0].isOpen,
        extras.backlog[0].version <= version
      {
        defer { extras.hasBacklog = !extras.backlog.isEmpty }
        return extras.backlog.popFirst()
      }
      // Another thread might have forwarded changes during an earlier change of the place or an offer.
      takeForwardedChanges(on: thread)
      return nil
    }
  }
}
