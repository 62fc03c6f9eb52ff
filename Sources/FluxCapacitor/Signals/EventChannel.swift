/// A channel without a value: each event is delivered once, to those who observe at that time.
///
/// Of the values that a transaction writes to a variable, only the last one is delivered. But each
/// event takes a place of its own in the thread's round, so all events of a transaction are
/// delivered, after it.
@usableFromInline
final class EventChannel<Event: Sendable>: Channel<Event>, @unchecked Sendable {
  @inlinable
  init() {
    super.init()
  }

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
      PendingDelivery(to: self, at: version) { channel, version, thread in
        // The delivery's target is this channel.
        let channel = unsafeDowncast(channel, to: EventChannel.self)
        channel.lock.lock()
        channel.releaseHeldBack(at: channel.backlog?.index(of: version), on: thread)
      },
      isOwn: true
    )
    lock.unlock()
  }

  /// Delivers an event before everything else in this thread's round.
  ///
  /// It is not held back until the thread's transaction has ended: a thread that delivers the next
  /// event delivers this one first. If another thread is delivering events at that moment, it
  /// delivers this one too, and this thread goes on without waiting for it. That could take
  /// forever, because what is called there may need what this thread holds.
  func sendInFront(_ event: Event, on thread: CurrentThread) {
    lock.lock()
    version &+= 1
    guard first != nil else { return lock.unlock() }
    enqueue(event)
    // A thread that is delivering delivers this too. Otherwise, this place is for all so far.
    thread.pointee.round.prepend(
      PendingDelivery(to: self, at: version) { channel, version, thread in
        // The delivery's target is this channel.
        unsafeDowncast(channel, to: EventChannel.self).deliverBacklog(through: version, on: thread)
      }
    )
    lock.unlock()
  }

  /// Subscribes an observer, which is called with the events from now on.
  func observe(on queue: ExecuteQueue, _ changes: @escaping @Sendable (Event) -> Void) -> Dust {
    let observation = Observation(on: queue, changes: changes)
    lock.lock()
    link(observation)
    lock.unlock()
    return observation
  }
}
