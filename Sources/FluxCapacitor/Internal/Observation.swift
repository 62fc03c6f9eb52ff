import Dispatch

/// An observer's node in a channel: its closure, where it runs, and what waits to be told to it.
///
/// It is its own Dust, so that observing takes one allocation. On `.current` the deliverer calls the
/// closure directly. While the first value is being told, and on a queue, changes go through the
/// mailbox, which one thread at a time empties: calls neither overlap nor change places, on a
/// concurrent queue too. For each change on a queue a block is sent there, which permits to tell one:
/// so what is told keeps its place among the queue's other work.
///
/// Invariants: the mailbox, `emptier`, `permits` and the dropping of the closure are guarded by
/// `lock`. The deliverer reads the closure without it, because nothing is detached while it delivers.
@usableFromInline
final class Observation<Element: Sendable>: Dust, @unchecked Sendable {
  /// The thread that is emptying the mailbox, or zero.
  @exclusivity(unchecked) @usableFromInline var emptier: UInt32 = 0

  /// How many changes may be told by now.
  @exclusivity(unchecked) @usableFromInline var permits: Int32 = 0

  @usableFromInline let queue: ExecuteQueue
  @exclusivity(unchecked) @usableFromInline var changes: (@Sendable (Element) -> Void)?

  /// Made when there first is something in it.
  @exclusivity(unchecked) @usableFromInline var mailbox: Mailbox<Element>?

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
    if isDirect { Observation.call(&changes, with: value) }
    endCall()
  }

  /// Calls the closure, which nobody replaces meanwhile: that is what `inout` says, and it spares
  /// counting two references, which takes longer than a short call.
  @inlinable
  @inline(never)
  static func call(_ changes: inout (@Sendable (Element) -> Void)?, with value: Element) {
    changes?(value)
  }

  @inlinable
  func post(_ value: Element, on thread: CurrentThread) {
    lock.lock()
    if isCleaned { return lock.unlock() }
    if isDirect {
      lock.unlock()
      return receive(value, on: thread)
    }
    put(value)
    switch queue {
    case .current:
      lock.unlock()
    case .main where MainQueue.isCurrent && (emptier == thread.id || mailbox?.values.count == 1):
      permitOne(on: thread)
    case .main:
      lock.unlock()
      sendPermit(to: .main)
    case .queue(let queue):
      lock.unlock()
      sendPermit(to: queue)
    }
  }

  // MARK: The first value

  /// Makes later changes wait for the first value; nobody else knows the observation yet.
  @inlinable
  func prepare(first: Element, on thread: CurrentThread) {
    if isDirect {
      emptier = thread.id
      permits = .max
      leaveDirect()
    } else {
      put(first)
    }
  }

  /// Tells the first value, and then what has come in meanwhile.
  @inlinable
  func start(first: Element, on thread: CurrentThread) {
    switch queue {
    case .current:
      thread.tell {
        beginCall(on: thread)
        changes?(first)
        while let (value, changes) = next(on: thread) { changes(value) }
      }
    case .main where MainQueue.isCurrent:
      lock.lock()
      permitOne(on: thread)
    case .main: sendPermit(to: .main)
    case .queue(let queue): sendPermit(to: queue)
    }
  }

  // MARK: The mailbox

  /// Sends a block to the queue, which permits to tell one change.
  @usableFromInline
  func sendPermit(to queue: DispatchQueue) {
    queue.async {
      self.lock.lock()
      self.permitOne(on: .current)
    }
  }

  /// Permits to tell one more change, and tells it unless a thread is at it, which then does; takes
  /// the lock over.
  @usableFromInline
  func permitOne(on thread: CurrentThread) {
    permits += 1
    guard emptier == 0 else { return lock.unlock() }
    emptier = thread.id
    lock.unlock()
    while let (value, changes) = next(on: thread) {
      thread.tell {
        changes(value)
        endCall()
      }
    }
  }

  /// What is to be told next; when there is nothing, the emptying has ended.
  @inlinable
  func next(on thread: CurrentThread) -> (value: Element, changes: @Sendable (Element) -> Void)? {
    lock.lock()
    if permits > 0, !isCleaned, let changes, let value = mailbox?.values.popFirst() {
      permits -= 1
      beginCall(on: thread)
      lock.unlock()
      return (value, changes)
    }
    endCall()
    emptier = 0
    if case .current = queue { becomeDirect() }
    let isOver = channel == nil
    lock.unlock()
    if isOver { detach() }
    return nil
  }

  /// Appends to the mailbox; the lock is held.
  @inlinable
  func put(_ value: Element) {
    let mailbox = self.mailbox ?? Mailbox()
    self.mailbox = mailbox
    mailbox.values.append(value)
  }

  @usableFromInline
  override func detach() { letGo() }

  /// Lets go of the closure too, unless values are still on their way to it.
  @inlinable
  func letGo() {
    lock.lock()
    let channel = self.channel
    self.channel = nil
    var changes: (@Sendable (Element) -> Void)?
    var mailbox: Mailbox<Element>?
    if isCleaned || (emptier == 0 && self.mailbox?.values.isEmpty ?? true) {
      changes = self.changes
      mailbox = self.mailbox
      self.changes = nil
      self.mailbox = nil
    }
    lock.unlock()
    // What they hold goes when the lock is open again: its deinit may be code of the user's.
    _ = consume channel
    _ = consume changes
    _ = consume mailbox
  }
}

/// The values that are on their way to an observer, in the order in which they are to be told.
@usableFromInline
final class Mailbox<Element> {
  @exclusivity(unchecked) @usableFromInline final var values = FIFO<Element>()

  @inlinable
  init() {}
}
