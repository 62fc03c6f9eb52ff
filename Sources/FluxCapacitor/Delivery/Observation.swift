import Dispatch

/// An observer's node in a channel: its closure, where it runs, and what waits to be told to it.
///
/// It is its own Dust, so that observing takes one allocation. On `.current` the deliverer calls the
/// closure directly. While the first value is being told, and on a queue, changes go through the
/// mailbox, which one thread at a time empties: calls neither overlap nor change places, on a
/// concurrent queue too. For each change on a queue a block is sent there, which permits to tell one:
/// so what is told keeps its place among the queue's other work.
///
/// Invariants: the mailbox, what is in it, and the dropping of the closure are guarded by `lock`. The
/// deliverer reads the closure without it, because nothing is detached while it delivers.
@usableFromInline
final class Observation<Element: Sendable>: Dust, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var changes: (@Sendable (Element) -> Void)?

  /// On a queue, always there; on `.current`, if something comes in while the first value is told.
  @exclusivity(unchecked) @usableFromInline var mailbox: Mailbox<Element>?

  @inlinable
  init(on queue: ExecuteQueue, changes: @escaping @Sendable (Element) -> Void) {
    self.changes = changes
    if !queue.isCurrent { mailbox = Mailbox(for: queue) }
    super.init(isDirect: queue.isCurrent) {
      unsafeDowncast($0, to: Observation.self).releaseContents()
    }
  }

  /// Tells one change; only the channel's deliverer calls this.
  @inlinable
  func receive(_ value: Element, on thread: CurrentThread) {
    guard isDirect else { return post(value, on: thread) }
    prepareCall(on: thread)
    // Cleaned by now, perhaps; or else whoever cleans it sees that it is about to be called.
    if isDirect {
      beginCall(on: thread)
      Observation.call(&changes, with: value)
    }
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
    let mailbox = self.mailbox ?? Mailbox(for: .current)
    self.mailbox = mailbox
    mailbox.values.append(value)
    switch mailbox.queue {
    case .current:
      // The thread that tells the first value comes to it, unless it has offered that.
      let isOffered = mailbox.offerer != 0
      mailbox.offerer = 0
      lock.unlock()
      if isOffered { deliverWhatHasComeIn(on: thread) }
    case .main where MainQueue.isCurrent && mailbox.canDeliverLast(on: thread):
      permitOne(on: thread)
    case .main:
      lock.unlock()
      sendPermit(to: .main, accountedBy: mailbox.activity)
    case .queue(let queue):
      lock.unlock()
      sendPermit(to: queue, accountedBy: mailbox.activity)
    }
  }

  // MARK: The first value

  /// Makes changes wait for the first value; nobody else knows the observation yet.
  @inlinable
  func prepareForFirst(on thread: CurrentThread) {
    if let mailbox {
      // As if this thread were emptying the mailbox: permits count, and nobody tells anything.
      mailbox.emptier = thread.id
    } else {
      leaveDirect()
    }
  }

  /// Tells the first value, and then what has come in meanwhile.
  @inlinable
  func start(first: Element, on queue: ExecuteQueue, _ thread: CurrentThread) {
    let activity = queue.isCurrent ? nil : admit(first: first)
    switch queue {
    case .current:
      thread.whileDelivering {
        beginCall(on: thread)
        changes?(first)
        endCall()
        deliverWhatHasComeIn(on: thread)
      }
    case .main where MainQueue.isCurrent:
      lock.lock()
      permitOne(on: thread)
    case .main: sendPermit(to: .main, accountedBy: activity)
    case .queue(let queue): sendPermit(to: queue, accountedBy: activity)
    }
  }

  /// Tells what has come in while the first value was told.
  @inlinable
  func deliverWhatHasComeIn(on thread: CurrentThread) {
    while !(thread.isDueForHandover && tryToHandOver(on: thread)),
      let (value, changes) = next(on: thread)
    {
      thread.noteChangeOfOthers()
      beginCall(on: thread)
      changes(value)
      endCall()
    }
  }

  /// Puts the first value before what has come in meanwhile; from now on that may be told.
  ///
  /// - Returns: Where the call is accounted for.
  @usableFromInline
  func admit(first: Element) -> PendingWork? {
    lock.lock()
    defer { lock.unlock() }
    mailbox?.values.prepend(first)
    mailbox?.emptier = 0
    return mailbox?.activity
  }

  // MARK: The mailbox

  /// Sends a block to the queue, which permits to tell one change.
  @usableFromInline
  func sendPermit(to queue: DispatchQueue, accountedBy activity: PendingWork?) {
    let end = activity?.begin {
      "A \(Element.self) is on its way to an observer on the queue \"\(queue.label)\"."
    }
    queue.send {
      self.lock.lock()
      self.permitOne(on: .current)
      end?()
    }
  }

  /// Permits to tell one more change, and tells it unless a thread is at it, which then does; takes
  /// the lock over.
  @usableFromInline
  func permitOne(on thread: CurrentThread) {
    guard let mailbox else { return lock.unlock() }
    mailbox.permits += 1
    guard mailbox.emptier == 0 else { return lock.unlock() }
    mailbox.emptier = thread.id
    lock.unlock()
    while let (value, changes) = next(on: thread) {
      thread.whileDelivering {
        beginCall(on: thread)
        changes(value)
        endCall()
      }
    }
  }

  /// What is to be told next, with the call prepared; when there is nothing, the emptying has ended.
  @inlinable
  func next(on thread: CurrentThread) -> (value: Element, changes: @Sendable (Element) -> Void)? {
    lock.lock()
    prepareCall(on: thread)
    if !isCleaned, let changes, let value = mailbox?.popPermitted() {
      lock.unlock()
      return (value, changes)
    }
    endCall()
    let mailbox = self.mailbox
    if let mailbox, !mailbox.isOfFirst {
      mailbox.emptier = 0
    } else {
      self.mailbox = nil
      becomeDirect()
    }
    let isOver = channel == nil
    lock.unlock()
    _ = consume mailbox
    if isOver { releaseContents() }
    return nil
  }

  /// Lets go of the channel and, unless values are still on their way to it, of the closure.
  @inlinable
  func releaseContents() {
    lock.lock()
    let channel = self.channel
    self.channel = nil
    var changes: (@Sendable (Element) -> Void)?
    var mailbox: Mailbox<Element>?
    if isCleaned || !(self.mailbox?.isInUse ?? !isDirect) {
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
  @usableFromInline let queue: ExecuteQueue
  @exclusivity(unchecked) @usableFromInline var values = FIFO<Element>()

  /// Where the calls that are on their way to the queue are accounted for.
  @usableFromInline let activity: PendingWork?

  /// The thread that is emptying the mailbox, or zero.
  @exclusivity(unchecked) @usableFromInline var emptier: UInt32 = 0

  /// The thread that has told the first value and would like another to tell the rest, or zero.
  @exclusivity(unchecked) @usableFromInline var offerer: UInt32 = 0

  /// How many changes may be told by now.
  @exclusivity(unchecked) @usableFromInline var permits: Int32 = 0

  @inlinable
  init(for queue: ExecuteQueue) {
    self.queue = queue
    activity = queue.isCurrent ? nil : PendingWork.current
  }

  /// Whether it is there for what comes in while the first value is told, on `.current`.
  @inlinable
  var isOfFirst: Bool { queue.isCurrent }

  @inlinable
  var isInUse: Bool { isOfFirst || emptier != 0 || !values.isEmpty }

  /// Whether the last value may be told by this thread at once.
  @inlinable
  func canDeliverLast(on thread: CurrentThread) -> Bool {
    emptier == thread.id || values.count == 1
  }

  @inlinable
  func popPermitted() -> Element? {
    if isOfFirst { return values.popFirst() }
    guard permits > 0, let value = values.popFirst() else { return nil }
    permits -= 1
    return value
  }
}
