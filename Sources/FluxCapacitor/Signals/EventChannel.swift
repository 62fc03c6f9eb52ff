/// A channel that delivers each event once to its current observers, and keeps no value.
///
/// A transaction delivers only the last value of a variable, but every event of a channel. When the
/// transaction ends, its events are delivered at their positions among the transaction's writes. Until then, they wait
/// in the backlog. Events that other threads send meanwhile wait behind them, so all events keep the order of sending.
@usableFromInline final class EventChannel<Event: Sendable>: Channel<Event>, @unchecked Sendable {
  @inlinable init() { super.init() }

  override var description: String { "A Sink<\(Event.self)>" }

  @inlinable func send(_ event: Event) {
    recordOperation("sends to", self, event)
    let thread = currentThread()
    lock.lock()
    version = version.next
    recordWrite(self, event, isCommitted: false)
    let delivery = firstObservation == nil ? nil : makeChange(of: event, on: thread)
    lock.unlock()
    deliverNow(event, delivery, on: thread)
  }

  /// Makes an event a change, either immediately or at the end of the thread's transaction.
  ///
  /// - Precondition: The thread holds `lock`.
  @inlinable func makeChange(of event: Event, on thread: CurrentThread) -> ChangeInProgress? {
    guard thread.pointee.openTransactions > 0 else { return schedule(event, on: thread) }
    enqueue(event, isOpen: true)
    var place = Place(
      to: self,
      through: version,
      isUncommitted: true,
      by: EventChannel.deliverBacklog
    )
    place.locksChannel = noteWrite(on: thread)
    thread.append(place, isOwn: true)
    return nil
  }

  /// Makes an event of a transaction ready for delivery at its position in the thread's round (queue of deliveries).
  ///
  /// - Precondition: The thread holds `lock`.
  override func commit(at place: Int32, on thread: CurrentThread) -> Version {
    pendingWrite.writer = 0
    let version = thread.pointee.round[place].version
    var last = version
    extras?.use { extras in
      let count = Int(extras.backlog.count)
      var index = Int32(
        partitioningIndex(of: count) { extras.backlog[Int32($0)].version >= version }
      )
      extras.backlog[index].isOpen = false
      // The place also delivers the events that have waited behind this one.
      while index < count, !extras.backlog[index].isOpen {
        last = extras.backlog[index].version
        index += 1
      }
    }
    return last
  }

  /// Delivers an event before all other pending deliveries of this thread.
  ///
  /// The event doesn't wait for the end of the thread's transaction. A thread that delivers a later event
  /// delivers this event first. If another thread is already delivering this channel, the other thread also
  /// delivers this event. The sending thread doesn't wait for the delivering thread, because an observer
  /// could need a lock that the sending thread holds.
  func sendInFront(_ event: Event, on thread: CurrentThread) {
    lock.lock()
    defer { lock.unlock() }
    version = version.next
    guard firstObservation != nil else { return }
    enqueue(event)
    // If no other thread is delivering this channel, the new place (an entry in the round) covers all
    // pending events.
    thread.pointee.round.prepend(Place(to: self, through: version, by: EventChannel.deliverBacklog))
  }

  /// Subscribes an observer, which receives every later event.
  func observe(
    on queue: ExecuteQueue,
    in surroundings: Surroundings? = .current,
    _ changes: @escaping @Sendable (Event) -> Void
  ) -> Dust {
    recordOperation("observes", self)
    let observation = Observation(on: queue, changes: changes)
    observation.keep(surroundings)
    lock.withLock { link(observation, since: version) }
    return observation
  }
}
