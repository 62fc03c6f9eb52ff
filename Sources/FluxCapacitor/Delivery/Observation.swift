import Synchronization

/// An observer's node in a channel: its closure, its queue, and the values that wait for it.
///
/// The observation is its own Dust, so observing on `.current` takes one allocation. On `.current`, the
/// deliverer calls the closure directly. During the call with the first value, and on a queue, changes go
/// through the mailbox. One thread at a time drains the mailbox, so calls never overlap or change order,
/// even on a concurrent queue. On a queue, the observation sends a block for each change that it can't
/// deliver immediately. The block permits one call, so calls keep their place among the queue's other work.
///
/// | | mailbox | flag `indirect` | calling thread |
/// |---|---|---|---|
/// | on `.current` | none | no | the channel's deliverer |
/// | on `.current`, during the first call | from the first change on | yes | the subscriber, or the thread that takes its offer |
/// | on a queue | always | yes | the `drainer` |
/// | on a queue, before the first call | with the subscriber as its `drainer` | yes | no thread; permits add up |
///
/// Invariants: `lock` guards the mailbox, its contents, and the release of the closure. The deliverer reads
/// the closure without the lock, because nothing is detached while it delivers.
@usableFromInline final class Observation<Element: Sendable>: Dust, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var changes: (@Sendable (Element) -> Void)?

  /// The mailbox. It is always set on a queue. On `.current`, it is set when a change arrives during the
  /// call with the first value.
  @exclusivity(unchecked) @usableFromInline var mailbox: Mailbox<Element>?

  @inlinable init(on queue: ExecuteQueue, changes: @escaping @Sendable (Element) -> Void) {
    self.changes = changes
    if !queue.isCurrent { mailbox = Mailbox(for: queue) }
    super.init(flags: queue.isCurrent ? 0 : Dust.indirect) {
      // The closure is only called with this observation.
      unsafeDowncast($0, to: Observation.self).releaseContents()
    }
  }

  /// Whether the observation is cleaned, or the value that it observed is deallocated.
  override var isOver: Bool { isCleaned || lock.withLock { channel == nil } }

  /// Delivers one change. Only the channel's deliverer calls this method.
  @inlinable func receive(_ value: Element, on thread: CurrentThread) {
    guard isDirect else { return post(value, on: thread) }
    prepareCall(on: thread)
    // The observation may be cleaned by now. If not, a cleaning thread sees that a call is prepared.
    if isDirect {
      beginCall(on: thread)
      Observation.call(&changes, with: value)
    }
    endCall()
  }

  /// Calls the closure, which no thread replaces during the call. The `inout` parameter tells the compiler
  /// so. This saves counting two references, which takes longer than a short call.
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

  /// The action that a thread takes for a value, after unlocking.
  @usableFromInline enum Action {
    case nothing, receive, drain
    case sendPermit(Mailbox<Element>)
  }

  /// Puts a value into the mailbox, unless the value may be delivered immediately. The lock must be held.
  @inlinable func decide(on value: Element, _ thread: CurrentThread) -> Action {
    if isCleaned { return .nothing }
    if isDirect { return .receive }
    let mailbox = self.mailbox ?? Mailbox(for: .current)
    self.mailbox = mailbox
    mailbox.values.append(value)
    switch mailbox.queue {
    case .current:
      // The thread that delivers the first value delivers this one too, unless it has offered the delivery.
      defer { mailbox.offerer = 0 }
      return mailbox.offerer == 0 ? .nothing : .drain
    case .main
    where MainQueue.isCurrent
      && (mailbox.drainer == thread.id || mailbox.values.count == 1):
      // Values on their way come first, but this thread may deliver the last value immediately.
      return mailbox.permitOne(on: thread) ? .drain : .nothing
    default: return .sendPermit(mailbox)
    }
  }

  // MARK: The first value

  /// Makes changes wait for the first value. Relaxed ordering is enough, because no other thread
  /// may know the observation yet.
  @inlinable func prepareForFirst(on thread: CurrentThread) {
    if let mailbox {
      // While this thread is the drainer, permits add up and nothing is delivered.
      mailbox.drainer = thread.id
    } else {
      // From now on, changes go through a mailbox.
      flags.unscheduled.store(Dust.indirect, ordering: .relaxed)
    }
  }

  /// Delivers the first value, and then the changes that have arrived meanwhile.
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

  /// Puts the first value in front of the values that have arrived meanwhile, and permits their delivery.
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

  /// Sends a block to the queue. The block permits one call.
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

  /// Permits one more call. Makes the call, unless a thread is draining the mailbox.
  /// That thread then makes it.
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

  /// Prepares the next call and returns its value and closure, or ends the draining.
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
      // Release ordering: a thread that finds the observation direct sees the effects of all calls through
      // the mailbox. A thread that finds it indirect checks again under the lock.
      _ = flags.write { $0.bitwiseAnd(~Dust.indirect, ordering: .releasing) }
    }
    let isOver = channel == nil
    lock.unlock()
    _ = consume mailbox
    if isOver { releaseContents() }
    return nil
  }

  /// Releases the channel. Also releases the closure, unless values are still on their way to an
  /// observer that isn't cleaned.
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
    // Release these after unlocking, because a deinit may run user code.
    _ = consume channel
    _ = consume changes
    _ = consume mailbox
  }
}

/// The values on their way to an observer, in order.
@usableFromInline final class Mailbox<Element> {
  /// The observer's queue. On `.current`, the mailbox exists only for the call with the first value.
  @usableFromInline let queue: ExecuteQueue
  @exclusivity(unchecked) @usableFromInline var values = FIFO<Element>()

  /// The pending work that includes the calls on the queue.
  @usableFromInline let activity: PendingWork?

  /// The thread that is draining the mailbox, or zero.
  @exclusivity(unchecked) @usableFromInline var drainer: UInt32 = 0

  /// The thread that has delivered the first value and offers the rest to another thread, or zero.
  @exclusivity(unchecked) @usableFromInline var offerer: UInt32 = 0

  /// The number of calls that are permitted and not made yet.
  @exclusivity(unchecked) @usableFromInline var permits: Int32 = 0

  @inlinable init(for queue: ExecuteQueue) {
    self.queue = queue
    activity = queue.isCurrent ? nil : PendingWork.current
  }

  @inlinable var isInUse: Bool { queue.isCurrent || drainer != 0 || !values.isEmpty }

  /// Permits one more call. The observation's lock must be held.
  ///
  /// - Returns: Whether this thread has to make the call, because no thread is draining the mailbox.
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
