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
  override var description: String { "A Sink<\(Event.self)>" }

  @inlinable
  func send(_ event: Event) {
    lock.lock()
    version &+= 1
    guard first != nil else { return lock.unlock() }
    let thread = CurrentThread.current
    guard thread.pointee.openTransactions > 0 else { return announce(event, on: thread) }
    enqueue(event, heldBy: thread.pointee.transaction)
    thread.append(
      Delivery(to: self, at: version) { channel, version, thread in
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
  /// this one first. If another thread is telling events just then, that one tells it, and this thread
  /// goes on: to wait could last for ever, for what is called there may want what this thread holds.
  func sendInFront(_ event: Event, on thread: CurrentThread) {
    lock.lock()
    version &+= 1
    guard first != nil else { return lock.unlock() }
    enqueue(event)
    // Whoever is delivering delivers it too; otherwise, this place is for all up to here.
    thread.prepend(
      Delivery(to: self, at: version) { channel, version, thread in
        // The closure is that of this very channel.
        unsafeDowncast(channel, to: EventChannel.self).deliverBacklog(through: version, on: thread)
      }
    )
    lock.unlock()
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
