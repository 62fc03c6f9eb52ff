/// A channel without a value: each event is delivered once, to the observers at that time.
///
/// A transaction that writes a variable several times delivers only the last value. But it delivers
/// all of its events when it ends, each in its place among the writes. Events that other threads
/// send meanwhile are delivered after these.
@usableFromInline final class EventChannel<Event: Sendable>: Channel<Event>, @unchecked Sendable {
  @inlinable init() { super.init() }

  override var description: String { "A Sink<\(Event.self)>" }

  @inlinable func send(_ event: Event) {
    let thread = CurrentThread.current
    lock.lock()
    version = version.next
    let delivery = first == nil ? nil : makeChange(of: event, on: thread)
    lock.unlock()
    deliverNow(event, delivery, on: thread)
  }

  /// Makes an event a change, now or at the end of a transaction. The lock must be held.
  @inlinable func makeChange(of event: Event, on thread: CurrentThread) -> Delivery? {
    if thread.pointee.openTransactions == 0, mark.isNone { return schedule(event, on: thread) }
    enqueue(event)
    guard thread.pointee.openTransactions > 0 else { return nil }
    let place = place(through: version, isOpen: true)
    thread.pointee.transaction.use { $0.add(place, of: self, on: thread) }
    return nil
  }

  /// Makes the events of a transaction ready for delivery, each in its place. The lock must be held.
  override func commit(through version: Version, on thread: CurrentThread) -> Version {
    // Other threads may have sent events after the transaction's.
    if version < self.version { leave(through: self.version) }
    return version
  }

  /// Delivers an event before everything else in this thread's round.
  ///
  /// The event doesn't wait for the end of the thread's transaction: a thread that delivers the
  /// next event delivers this one first. If another thread is delivering events at that moment, it
  /// delivers this one too, and this thread goes on. Waiting for the other thread could take
  /// forever, because the observers that it calls may need something that this thread holds.
  func sendInFront(_ event: Event, on thread: CurrentThread) {
    lock.lock()
    defer { lock.unlock() }
    version = version.next
    guard first != nil else { return }
    enqueue(event)
    // A thread that is delivering delivers this event too. Otherwise, this place is for all events so far.
    thread.pointee.round.prepend(place(through: version))
  }

  /// Subscribes an observer, which receives the events from now on.
  func observe(on queue: ExecuteQueue, _ changes: @escaping @Sendable (Event) -> Void) -> Dust {
    let observation = Observation(on: queue, changes: changes)
    lock.withLock { link(observation, since: version) }
    return observation
  }
}
