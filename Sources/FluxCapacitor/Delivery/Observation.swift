import Synchronization

/// An observer's node in a channel: its closure, where to call it, and the values waiting for it.
///
/// It is its own Dust, so observing takes one allocation. On `.current` the deliverer calls the
/// closure directly. During the call with the first value, and on a queue, changes go through the
/// mailbox, which one thread at a time drains: calls never overlap or change order, even on a
/// concurrent queue. For each change, a block is sent to the queue that permits one call, so that
/// calls keep their place among the queue's other work.
///
/// | | mailbox | flag `indirect` | who calls |
/// |---|---|---|---|
/// | on `.current` | none | no | the channel's deliverer |
/// | on `.current`, during the first call | from the first change on | yes | the subscriber, or whoever takes its offer |
/// | on a queue | always | yes | the thread that is its `drainer` |
/// | on a queue, before the first call | with the subscriber as its `drainer` | yes | nobody: permits add up |
///
/// Invariants: the mailbox, its contents, and the release of the closure are guarded by `lock`. The
/// deliverer reads the closure without it, because nothing is detached while it delivers.
@usableFromInline final class Observation<Element: Sendable>: Dust, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var changes: (@Sendable (Element) -> Void)?

  /// Always set on a queue; on `.current`, once a change comes in during the first value's call.
  @exclusivity(unchecked) @usableFromInline var mailbox: Mailbox<Element>?

  @inlinable init(on queue: ExecuteQueue, changes: @escaping @Sendable (Element) -> Void) {
    self.changes = changes
    if !queue.isCurrent { mailbox = Mailbox(for: queue) }
    super.init(flags: queue.isCurrent ? 0 : Dust.indirect) {
      // It is only called with this observation.
      unsafeDowncast($0, to: Observation.self).releaseContents()
    }
  }

  /// It is over, too, when the value that it observed is deallocated.
  override var isOver: Bool { isCleaned || lock.withLock { channel == nil } }

  /// Delivers one change; only the channel's deliverer calls this.
  @inlinable func receive(_ value: Element, on thread: CurrentThread) {
    guard isDirect else { return post(value, on: thread) }
    prepareCall(on: thread)
    // It may be cleaned by now. If not, a thread that cleans it sees that a call is prepared.
    if isDirect {
      beginCall(on: thread)
      Observation.call(&changes, with: value)
    }
    endCall()
  }

  /// Calls the closure, which nothing replaces meanwhile. Passing it `inout` says so, and saves
  /// counting two references, which takes longer than a short call.
  @inlinable @inline(never)
  static func call(_ changes: inout (@Sendable (Element) -> Void)?, with value: Element) {
    changes?(value)
  }

  @inlinable func post(_ value: Element, on thread: CurrentThread) {
    switch lock.withLock({ decide(on: value, thread) }) {
    case .nothing: break
    case .receive: receive(value, on: thread)
    case .drain: drain(on: thread)
    case .sendPermit(let mailbox): sendPermit(for: mailbox)
    }
  }

  /// What a thread does with a value after unlocking.
  @usableFromInline enum Action {
    case nothing, receive, drain
    case sendPermit(Mailbox<Element>)
  }

  /// Puts a value into the mailbox, unless it may be delivered immediately. The lock must be held.
  @inlinable func decide(on value: Element, _ thread: CurrentThread) -> Action {
    if isCleaned { return .nothing }
    if isDirect { return .receive }
    let mailbox = self.mailbox ?? Mailbox(for: .current)
    self.mailbox = mailbox
    mailbox.values.append(value)
    switch mailbox.queue {
    case .current:
      // The thread that delivers the first value delivers this too, unless it has offered that.
      defer { mailbox.offerer = 0 }
      return mailbox.offerer == 0 ? .nothing : .drain
    case .main
    where MainQueue.isCurrent
      && (mailbox.drainer == thread.id || mailbox.values.count == 1):
      // What is on its way comes first, but this thread may deliver the last value immediately.
      return mailbox.permitOne(on: thread) ? .drain : .nothing
    default: return .sendPermit(mailbox)
    }
  }

  // MARK: The first value

  /// Makes changes wait for the first value. No other thread may know the observation yet, so
  /// relaxed is enough.
  @inlinable func prepareForFirst(on thread: CurrentThread) {
    if let mailbox {
      // As if this thread were draining the mailbox: permits add up, and nothing is delivered.
      mailbox.drainer = thread.id
    } else {
      // Puts the closure behind the mailbox.
      flags.unscheduled.store(Dust.indirect, ordering: .relaxed)
    }
  }

  /// Delivers the first value, and then what has come in meanwhile.
  @inlinable func start(first: Element, on queue: ExecuteQueue, _ thread: CurrentThread) {
    if queue.isCurrent {
      thread.whileDelivering {
        beginCall(on: thread)
        changes?(first)
        endCall()
        drain(on: thread)
      }
    } else if let mailbox = prepend(first: first) {
      if case .main = queue, MainQueue.isCurrent {
        permitOne(on: thread)
      } else {
        sendPermit(for: mailbox)
      }
    }
  }

  /// Puts the first value in front of what has come in meanwhile, and lets that be delivered.
  ///
  /// - Returns: The mailbox, unless the observation has been cleaned.
  @usableFromInline func prepend(first: Element) -> Mailbox<Element>? {
    lock.withLock {
      mailbox?.values.prepend(first)
      mailbox?.drainer = 0
      return mailbox
    }
  }

  // MARK: The mailbox

  /// Sends a block to the queue that permits one call.
  @usableFromInline func sendPermit(for mailbox: Mailbox<Element>) {
    let queue = mailbox.queue.dispatchQueue
    let end = mailbox.activity?.begin {
      "A \(Element.self) is on its way to an observer on the queue \"\(queue.label)\"."
    }
    queue.send {
      self.permitOne(on: .current)
      end?()
    }
  }

  /// Permits one more call, and makes it, unless a thread is draining the mailbox, which then makes it.
  @usableFromInline func permitOne(on thread: CurrentThread) {
    if lock.withLock({ mailbox?.permitOne(on: thread) }) == true { drain(on: thread) }
  }

  /// Makes all calls that are permitted. This thread must be the one that drains the mailbox.
  @inlinable func drain(on thread: CurrentThread) {
    while !(thread.isDueForHandover && handOver(on: thread)),
      let (value, changes) = next(on: thread)
    {
      thread.pointee.changesOfOthers &+= 1
      thread.whileDelivering {
        beginCall(on: thread)
        changes(value)
        endCall()
      }
    }
  }

  /// Returns what to deliver next, with the call prepared, or ends the draining.
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
    if let mailbox, !mailbox.queue.isCurrent {
      mailbox.drainer = 0
    } else {
      self.mailbox = nil
      // Releasing, so that a thread that finds it direct sees what was done through the mailbox; one
      // that finds it indirect checks again under the lock.
      _ = flags.write { $0.bitwiseAnd(~Dust.indirect, ordering: .releasing) }
    }
    let isOver = channel == nil
    lock.unlock()
    _ = consume mailbox
    if isOver { releaseContents() }
    return nil
  }

  /// Releases the channel and, unless values are still on their way to it, the closure.
  @inlinable func releaseContents() {
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
    // Released after unlocking, because a deinit may run user code.
    _ = consume channel
    _ = consume changes
    _ = consume mailbox
  }
}

/// The values on their way to an observer, in order.
@usableFromInline final class Mailbox<Element> {
  /// On `.current`, the mailbox exists only for the call with the first value.
  @usableFromInline let queue: ExecuteQueue
  @exclusivity(unchecked) @usableFromInline var values = FIFO<Element>()

  /// The pending work that calls on the queue are part of.
  @usableFromInline let activity: PendingWork?

  /// The thread that is draining the mailbox, or zero.
  @exclusivity(unchecked) @usableFromInline var drainer: UInt32 = 0

  /// The thread that has delivered the first value and offers another to deliver the rest, or zero.
  @exclusivity(unchecked) @usableFromInline var offerer: UInt32 = 0

  /// How many calls are permitted and not made yet.
  @exclusivity(unchecked) @usableFromInline var permits: Int32 = 0

  @inlinable init(for queue: ExecuteQueue) {
    self.queue = queue
    activity = queue.isCurrent ? nil : PendingWork.current
  }

  @inlinable var isInUse: Bool { queue.isCurrent || drainer != 0 || !values.isEmpty }

  /// Permits one more call. The observation's lock must be held.
  ///
  /// - Returns: Whether this thread has to make it, because no other one is draining the mailbox.
  @inlinable func permitOne(on thread: CurrentThread) -> Bool {
    permits += 1
    guard drainer == 0 else { return false }
    drainer = thread.id
    return true
  }

  @inlinable func popPermitted() -> Element? {
    if queue.isCurrent { return values.popFirst() }
    guard permits > 0, let value = values.popFirst() else { return nil }
    permits -= 1
    return value
  }
}
