/// A channel without a value: each event is delivered once, to those who observe at that time.
///
/// Of the values that a transaction writes to a variable, only the last one is delivered. But all
/// of its events are delivered when it ends, each in its place among the writes. What other threads
/// send meanwhile waits behind them.
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

  /// Lets the events of a transaction be delivered, each in its place.
  override func commit(through version: Version, on thread: CurrentThread) -> Version {
    // Other threads may have sent events behind it.
    if version < self.version { leave(through: self.version) }
    return version
  }

  /// Delivers an event before everything else in this thread's round.
  ///
  /// It doesn't wait for the thread's transaction to end: a thread that delivers the next
  /// event delivers this one first. If another thread is delivering events at that moment, it
  /// delivers this one too, and this thread goes on without waiting for it. That could take
  /// forever, because what is called there may need what this thread holds.
  func sendInFront(_ event: Event, on thread: CurrentThread) {
    lock.lock()
    defer { lock.unlock() }
    version = version.next
    guard first != nil else { return }
    enqueue(event)
    // A thread that is delivering delivers this too. Otherwise, this place is for all so far.
    thread.pointee.round.prepend(place(through: version))
  }

  /// Subscribes an observer, which is called with the events from now on.
  func observe(on queue: ExecuteQueue, _ changes: @escaping @Sendable (Event) -> Void) -> Dust {
    let observation = Observation(on: queue, changes: changes)
    lock.withLock { link(observation, since: version) }
    return observation
  }
}
