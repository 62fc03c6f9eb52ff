import Synchronization

/// One observer in the ring of a channel, with the observer's closure, queue and pending values.
///
/// An observation is its own `Dust`, so observing on `.current` takes only one allocation. On `.current`,
/// the thread that is delivering the channel calls the observer's closure directly. Changes that arrive
/// during the call with the first value go through the mailbox, a queue of values. If the observer has a
/// dispatch queue, all values go through the mailbox. A single thread at a time drains the mailbox, so
/// calls never overlap or change order, even on a concurrent queue. For each change that can't be
/// delivered immediately, the observation sends a block to the dispatch queue. Each block permits one
/// call, so calls keep their position among the queue's other work.
///
/// | | mailbox | flag `indirect` | calling thread |
/// |---|---|---|---|
/// | on `.current` | none | no | the thread that is delivering the channel |
/// | on `.current`, during the first call | created by the first change | yes | the subscribing thread, or a thread that takes its offer |
/// | on a queue | always | yes | the thread in `drainer` |
/// | on a queue, before the first call | always, with the subscribing thread as its `drainer` | yes | none; threads only count the permits |
///
/// `lock` guards the mailbox, the mailbox's contents, and the release of the closure. The delivering
/// thread reads the closure without the lock, because no thread releases the closure during a delivery.
@usableFromInline final class Observation<Element: Sendable>: Dust, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var changes: (@Sendable (Element) -> Void)?

  /// The queue of pending values. An observation with a dispatch queue always has a mailbox. An
  /// observation on `.current` creates a mailbox if a change arrives during the call with the first
  /// value.
  @exclusivity(unchecked) @usableFromInline var mailbox: Mailbox<Element>?

  @inlinable init(on queue: ExecuteQueue, changes: @escaping @Sendable (Element) -> Void) {
    self.changes = changes
    if !queue.isCurrent { mailbox = Mailbox(for: queue) }
    super.init(flags: queue.isCurrent ? 0 : Dust.indirect) {
      // The downcast is safe because every caller passes this observation to the closure.
      unsafeDowncast($0, to: Observation.self).releaseContents()
    }
  }

  /// Lets the observer see the dispatcher in which it was handed over. No other thread may know the observation yet.
  @usableFromInline func keep(_ surroundings: Surroundings?) {
    guard !keepsSurroundings, let surroundings, let changes else { return }
    keepsSurroundings = true
    self.changes = { value in
      let replacement = surroundings.replacement()
      if currentThread().pointee.surroundings == address(of: replacement) {
        changes(value)
      } else {
        Surroundings.ofTask.withValue(replacement) { changes(value) }
      }
    }
  }

  /// Whether the observation is cleaned, or the observed value is deallocated.
  override var isOver: Bool { isCleaned || lock.withLock { channel == nil } }

  /// Delivers one change to the observer. Only the thread that is delivering the channel calls this method.
  @inlinable func receive(_ value: Element, on thread: CurrentThread) {
    guard isDirect else { return post(value, on: thread) }
    recordOperation("calls the observer of", channel, value)
    guard seesItsDispatcher(on: thread) else {
      return callInSurroundings(on: thread) { changes?(value) }
    }
    call(on: thread) { Observation.call(&changes, with: value) }
  }

  /// Calls the observer's closure. The `inout` parameter tells the compiler that no thread replaces the closure during the
  /// call. Thus it omits the counting of two references, which would take longer than a short call.
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

  /// The action that the delivering thread performs after unlocking `lock`.
  @usableFromInline enum Action {
    case nothing, receive, drain
    case sendPermit(Mailbox<Element>)
  }

  /// Decides how to deliver a value. Puts the value into the mailbox, unless this thread may call the
  /// observer directly. The caller must hold `lock`.
  @inlinable func decide(on value: Element, _ thread: CurrentThread) -> Action {
    if isCleaned { return .nothing }
    if isDirect { return .receive }
    let mailbox = self.mailbox ?? Mailbox(for: .current)
    self.mailbox = mailbox
    mailbox.values.append(value)
    switch mailbox.queue {
    case .current:
      // The thread that delivers the first value also delivers this value, unless that thread has offered
      // the delivery to other threads.
      return mailbox.takeOffer() ? .drain : .nothing
    case .main
    where MainQueue.isCurrent
      && (mailbox.drainer == thread.pointee.id || mailbox.values.count == 1):
      // No block is sent if this value is the only pending one, or if this thread is draining the mailbox.
      return mailbox.permitOne(on: thread) ? .drain : .nothing
    default: return .sendPermit(mailbox)
    }
  }

  // MARK: The first value

  /// Lets the observer see the current dispatcher and, if it receives the first value, delays all changes until then.
  /// Relaxed ordering is enough, because no other thread can access the observation yet.
  @inlinable func prepare(ignoreFirst: Bool, on thread: CurrentThread) {
    if thread.pointee.isEverReplaced { keep(.current) }
    if ignoreFirst { return }
    if let mailbox {
      // While this thread is the `drainer`, other threads only count permits and deliver nothing.
      mailbox.drainer = thread.pointee.id
    } else {
      // The flag `indirect` sends all later changes through the mailbox.
      flags.unscheduled.store(Dust.indirect, ordering: .relaxed)
    }
  }

  /// Delivers the first value, and then the changes that arrived before the end of that call.
  @inlinable func start(first: Element, on queue: ExecuteQueue, _ thread: CurrentThread) {
    releaseAfterUnlocking(first)
    if queue.isCurrent {
      thread.whileDelivering {
        recordOperation("calls the observer of", channel, first)
        callInSurroundings(on: thread) { changes?(first) }
        thread.holdsLock ? drainLater(on: thread) : drain(on: thread)
      }
    } else if let mailbox = prepend(first: first) {
      if case .main = queue, MainQueue.isCurrent {
        permitOne(on: thread)
      } else {
        sendPermit(for: mailbox)
      }
    }
  }

  /// Puts the first value in front of all other values in the mailbox, and lets threads drain the mailbox.
  ///
  /// - Returns: The mailbox, or `nil` if the observation has been cleaned.
  @usableFromInline func prepend(first: Element) -> Mailbox<Element>? {
    lock.withLock {
      mailbox?.values.prepend(first)
      mailbox?.drainer = 0
      return mailbox
    }
  }

  // MARK: The mailbox

  /// Sends a block to the observer's queue. The block permits one call of the observer.
  @usableFromInline func sendPermit(for mailbox: Mailbox<Element>) {
    let queue = mailbox.queue.dispatchQueue
    let piece = mailbox.activity?.begin(.queuedCall(of: Element.self, on: queue))
    queue.send {
      // A nested run loop can run this block inside an observer, for which another dispatcher was noted.
      let thread = currentThread()
      let former = thread.pointee.surroundings
      thread.noteSurroundings()
      self.permitOne(on: thread)
      if thread.pointee.isDelivering { thread.pointee.surroundings = former }
      piece?.end()
    }
  }

  /// Permits one more call of the observer. If no thread is draining the mailbox, this thread makes the
  /// call. Otherwise, the draining thread makes the call.
  @usableFromInline func permitOne(on thread: CurrentThread) {
    if lock.withLock({ mailbox?.permitOne(on: thread) }) == true { drain(on: thread) }
  }

  /// Makes all permitted calls of the observer. No other thread may be draining the mailbox.
  @inlinable func drain(on thread: CurrentThread) {
    while !(thread.isDueForHandover && handOver(on: thread)),
      let (value, changes) = next()
    {
      thread.pointee.handoverPressure &+= 1
      thread.whileDelivering {
        recordOperation("calls the observer of", channel, value)
        callInSurroundings(on: thread) { changes(value) }
      }
    }
  }

  /// Offers the mailbox, which may contain changes of other threads, to the thread that brings the next one, and otherwise
  /// drains it when this thread holds no lock.
  @inlinable func drainLater(on thread: CurrentThread) {
    lock.withLock {
      mailbox = mailbox ?? Mailbox(for: .current)
      mailbox?.offerer = thread.pointee.id
    }
    let drain: Place.Deliver = { observation, _, thread in
      // The downcast is safe because the closure receives its place's target.
      let observation = unsafeDowncast(observation, to: Observation.self)
      let isOffered = observation.lock.withLock { observation.mailbox?.takeOffer() ?? false }
      if isOffered { observation.drain(on: thread) }
    }
    thread.append(Place(to: self, by: drain), isOwn: false)
  }

  /// Returns the value and the closure of the next call. If no call is permitted, ends the draining and returns `nil`.
  @inlinable
  func next() -> (value: Element, changes: @Sendable (Element) -> Void)? {
    lock.lock()
    if !isCleaned, let changes, let value = mailbox?.popPermitted() {
      lock.unlock()
      return (value, changes)
    }
    let mailbox = self.mailbox
    if let mailbox, !mailbox.queue.isCurrent {
      mailbox.drainer = 0
    } else {
      self.mailbox = nil
      // With release ordering, a thread that sees the flag `indirect` cleared also sees the effects of all calls through
      // the mailbox. A thread that still sees the flag set checks it again under the lock.
      _ = flags.write { $0.bitwiseAnd(~Dust.indirect, ordering: .releasing) }
    }
    let isOver = channel == nil
    lock.unlock()
    _ = consume mailbox
    if isOver { releaseContents() }
    return nil
  }

  /// Releases the channel and, if the observation is cleaned or has no pending values, the observer's closure.
  @inlinable func releaseContents() {
    lock.lock()
    let channel = self.channel.take()
    var (changes, mailbox): ((@Sendable (Element) -> Void)?, Mailbox<Element>?)
    if isCleaned || !(self.mailbox?.isInUse ?? !isDirect) {
      (changes, mailbox) = (self.changes, self.mailbox)
      (self.changes, self.mailbox) = (nil, nil)
    }
    lock.unlock()
    // These objects are released after unlocking, because a `deinit` can run user code. Making the tuple would cost a
    // quarter of each observation, and is rarely needed.
    if currentThread().holdsLock { releaseAfterUnlocking((channel, changes, mailbox)) }
    _ = (consume channel, consume changes, consume mailbox)
  }
}

/// The queue of pending values for one observer.
@usableFromInline final class Mailbox<Element> {
  /// The queue on which the observer is called. For `.current`, a mailbox exists only during and shortly
  /// after the call with the first value.
  @usableFromInline let queue: ExecuteQueue
  @usableFromInline var values = FIFO<Element>()

  /// The dispatcher's record of pending work, if the observer has a queue.
  @usableFromInline let activity: PendingWork?

  /// The number of the thread that is draining the mailbox, or zero.
  @usableFromInline var drainer: UInt32 = 0

  /// The number of the thread that offers the remaining values to other threads, or zero. Used on `.current` only.
  @usableFromInline var offerer: UInt32 = 0

  /// The number of permitted calls that no thread has made yet.
  @usableFromInline var permits: Int32 = 0

  @inlinable init(for queue: ExecuteQueue) {
    self.queue = queue
    activity = queue.isCurrent ? nil : PendingWork.current
  }

  @inlinable var isInUse: Bool { queue.isCurrent || drainer != 0 || !values.isEmpty }

  /// Permits one more call of the observer. The caller must hold the observation's lock.
  ///
  /// - Returns: Whether this thread has to make the call, because no other thread is draining the
  ///   mailbox.
  @inlinable func permitOne(on thread: CurrentThread) -> Bool {
    permits += 1
    guard drainer == 0 else { return false }
    drainer = thread.pointee.id
    return true
  }

  /// Takes the offer of a thread, if any. The caller must hold the observation's lock, and drain the mailbox then.
  @inlinable func takeOffer() -> Bool {
    defer { offerer = 0 }
    return offerer != 0
  }

  @inlinable func popPermitted() -> Element? {
    if queue.isCurrent { return values.popFirst() }
    guard permits > 0, let value = values.popFirst() else { return nil }
    permits -= 1
    return value
  }
}
