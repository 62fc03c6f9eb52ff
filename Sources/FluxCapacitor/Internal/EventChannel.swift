/// A channel without a value: what it carries is told once, to those who observe then.
///
/// Unlike the values that a transaction writes to a cell, of which the last one counts, each event
/// takes a place of its own in the thread's round: a transaction's events are all told, after it.
@usableFromInline
final class EventChannel<Event: Sendable>: Channel<Event>, @unchecked Sendable {
  @inlinable
  init() {
    super.init()
  }

  @usableFromInline
  override var name: String { "A Sink<\(Event.self)>" }

  @inlinable
  func send(_ event: Event) {
    lock.lock()
    version &+= 1
    guard first != nil else { return lock.unlock() }
    let thread = CurrentThread.current
    guard thread.pointee.openTransactions > 0 else { return announce(event, on: thread) }
    enqueue(event, heldBy: thread.pointee.transaction)
    thread.append(
      Delivery(of: self, at: version) { channel, version, thread in
        // The closure is that of this very channel.
        let channel = unsafeDowncast(channel, to: EventChannel.self)
        channel.lock.lock()
        channel.releaseHeldBack(at: channel.backlog?.index(of: version), on: thread)
      },
      isOwn: true
    )
    lock.unlock()
  }

  /// Tells an event before all else that this thread has to tell.
  ///
  /// It is not held back until the thread's transaction has ended: whoever tells the next event tells
  /// this one first. The thread waits for that before it goes on, though not for ever.
  func sendInFront(_ event: Event, on thread: CurrentThread) {
    lock.lock()
    version &+= 1
    guard first != nil else { return lock.unlock() }
    enqueue(event)
    // Whoever is telling tells it too; otherwise, this place is for all up to here.
    if deliverer.thread == 0 { backlog?.unclaimed = 0 }
    thread.prepend(
      Delivery(of: self, at: version) { channel, version, thread in
        // The closure is that of this very channel.
        unsafeDowncast(channel, to: EventChannel.self).deliverInFront(through: version, on: thread)
      }
    )
    lock.unlock()
  }

  /// Tells the events up to a version, or waits until another thread that is at it has, for up to
  /// a second: for ever would be a deadlock, if what it calls wants what this thread holds.
  private func deliverInFront(through version: UInt64, on thread: CurrentThread) {
    let start = ContinuousClock.now
    var rounds = 0
    while true {
      deliverBacklog(through: version, on: thread)
      if isTold(version, on: thread) || start.duration(to: .now) > .seconds(1) { return }
      rounds += 1
      if rounds < 100 { thread.yieldProcessor() } else { thread.pause() }
    }
  }

  /// Whether an event has been told, or is being told by this very thread.
  private func isTold(_ version: UInt64, on thread: CurrentThread) -> Bool {
    lock.withLock {
      let pending = backlog.flatMap { $0.changes.isEmpty ? nil : $0.changes[0].version }
      if deliverer.thread == thread.id { return true }
      if deliverer.thread == 0 { return pending.map { $0 > version } ?? true }
      // What is being told comes right before what is pending.
      return (pending ?? self.version &+ 1) &- 1 > version
    }
  }

  /// Subscribes an observer, which is told the events from now on.
  @inlinable
  func observe(on queue: ExecuteQueue, _ changes: @escaping @Sendable (Event) -> Void) -> Dust {
    let observation = Observation(on: queue, changes: changes)
    lock.lock()
    link(observation)
    lock.unlock()
    return observation
  }
}
