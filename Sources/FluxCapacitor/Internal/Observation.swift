import Dispatch

/// An observer's node in a channel: its closure, where it runs, and what waits to be told to it.
///
/// It is its own Dust, so that observing takes one allocation. On `.current` the deliverer calls the
/// closure directly. On a queue, and while the first value is being told, changes go through the
/// mailbox, which one block at a time empties: calls neither overlap nor change places, on a
/// concurrent queue too.
///
/// Invariants: the mailbox, `isEmptying` and the dropping of the closure are guarded by `lock`. The
/// deliverer reads the closure without it, because nothing is detached while it delivers.
@usableFromInline
final class Observation<Element: Sendable>: Dust, @unchecked Sendable {
  /// Whether somebody is at emptying the mailbox, or a block is on its way to do it.
  @exclusivity(unchecked) @usableFromInline var isEmptying = false

  @usableFromInline let queue: ExecuteQueue
  @exclusivity(unchecked) @usableFromInline var changes: (@Sendable (Element) -> Void)?
  @exclusivity(unchecked) @usableFromInline var mailbox = FIFO<Element>()

  @inlinable
  init(on queue: ExecuteQueue, changes: @escaping @Sendable (Element) -> Void) {
    self.queue = queue
    self.changes = changes
    if case .current = queue {
      super.init(isDirect: true)
    } else {
      super.init(isDirect: false)
    }
  }

  /// Tells one change; only the channel's deliverer calls this.
  @inlinable
  func receive(_ value: Element, on thread: CurrentThread) {
    guard isDirect else { return post(value, on: thread) }
    beginCall(on: thread)
    // Cleaned by now, perhaps; or else whoever cleans it sees that it is being called.
    if isDirect { changes?(value) }
    endCall()
  }

  @inlinable
  func post(_ value: Element, on thread: CurrentThread) {
    lock.lock()
    if isCleaned { return lock.unlock() }
    if isDirect {
      lock.unlock()
      return receive(value, on: thread)
    }
    mailbox.append(value)
    if isEmptying { return lock.unlock() }
    isEmptying = true
    lock.unlock()
    scheduleEmptying()
  }

  // MARK: The first value

  /// Makes later changes wait for the first value; nobody else knows the observation yet.
  @inlinable
  func prepare(first: Element) {
    isEmptying = true
    if isDirect {
      leaveDirect()
    } else {
      mailbox.append(first)
    }
  }

  /// Tells the first value, and then what has come in meanwhile.
  @inlinable
  func start(first: Element) {
    guard case .current = queue else { return scheduleEmptying() }
    let thread = CurrentThread.current
    thread.tell {
      beginCall(on: thread)
      changes?(first)
      while let (value, changes) = next(on: thread) { changes(value) }
    }
  }

  // MARK: The mailbox

  @inlinable
  func scheduleEmptying() {
    if case .main = queue, MainQueue.isCurrent { return emptyNow() }
    enqueueEmptying()
  }

  @usableFromInline
  func enqueueEmptying() {
    switch queue {
    case .current: emptyNow()
    case .main: DispatchQueue.main.async { self.emptyBatch() }
    case .queue(let queue): queue.async { self.emptyBatch() }
    }
  }

  /// Tells what is in the mailbox, until it is empty.
  @usableFromInline
  func emptyNow() {
    let thread = CurrentThread.current
    while tellNext(on: thread) {}
  }

  /// Tells what is in the mailbox. What comes in meanwhile is left to another block, so that an
  /// observer of a busy variable does not keep its queue from all other work.
  @usableFromInline
  func emptyBatch() {
    let thread = CurrentThread.current
    var remaining = lock.withLock { mailbox.count }
    while tellNext(on: thread) {
      remaining -= 1
      if remaining <= 0, lock.withLock({ !mailbox.isEmpty }) { return enqueueEmptying() }
    }
  }

  @inlinable
  func tellNext(on thread: CurrentThread) -> Bool {
    guard let (value, changes) = next(on: thread) else { return false }
    thread.tell {
      changes(value)
      endCall()
    }
    return true
  }

  /// What is to be told next; when nothing is left, the emptying has ended.
  @inlinable
  func next(on thread: CurrentThread) -> (value: Element, changes: @Sendable (Element) -> Void)? {
    lock.lock()
    if !isCleaned, let changes, let value = mailbox.popFirst() {
      beginCall(on: thread)
      lock.unlock()
      return (value, changes)
    }
    endCall()
    isEmptying = false
    if case .current = queue { becomeDirect() }
    let isOver = channel == nil
    lock.unlock()
    if isOver { detach() }
    return nil
  }

  /// Lets go of the closure too, unless values are still on their way to it.
  @usableFromInline
  override func detach() {
    lock.lock()
    let channel = self.channel
    self.channel = nil
    let changes = self.changes
    let mailbox = self.mailbox
    if isCleaned || !isEmptying {
      self.changes = nil
      if !mailbox.isEmpty { self.mailbox = FIFO() }
    }
    lock.unlock()
    // What they hold goes when the lock is open again: its deinit may be code of the user's.
    withExtendedLifetime(channel) {}
    withExtendedLifetime(changes) {}
    withExtendedLifetime(mailbox) {}
  }
}
