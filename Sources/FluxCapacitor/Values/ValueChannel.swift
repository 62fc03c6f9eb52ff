/// The channel of a value that is written under a lock: what a variable and its constants share.
///
/// A write outside a transaction is announced immediately. Inside one, the channel notes which
/// transaction has written, and takes a place in its thread's round; the value is delivered in that
/// place, after the transaction. If another transaction or thread writes in the meantime, what was
/// written so far goes to the backlog first, and is held back until then. So write order is kept,
/// nothing is lost, and nothing is delivered early.
@usableFromInline
final class ValueChannel<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  /// Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var stored: Element

  @inlinable
  init(_ value: Element) {
    stored = value
    super.init()
  }

  override var description: String { "A Variable<\(Element.self)>" }

  override func willJoinDownstream() -> Bool {
    if writer != 0 { holdBack() }
    return backlog.map { $0.held > 0 } ?? false
  }

  override func capture() -> any Sendable { stored }
}

// The operations of a value's channel are methods of `Channel`, the type by which a variable knows
// it. Downcasting that property would retain it, which would double the time of a read; downcasting
// `self` doesn't.
extension Channel {
  @inlinable
  final var value: Element {
    _read { yield unsafeDowncast(self, to: ValueChannel<Element>.self).stored }
    _modify { yield &unsafeDowncast(self, to: ValueChannel<Element>.self).stored }
  }

  @inlinable
  final func read() -> Element {
    acquire()
    defer { lock.unlock() }
    return value
  }

  @inlinable
  final func write(_ newValue: Element) {
    acquire()
    if writer != 0 { holdBack(before: .current) }
    var oldValue = newValue
    swap(&oldValue, &value)
    version &+= 1
    if first == nil { lock.unlock() } else { announce(on: .current, as: nil) }
    // Released after unlocking, because a deinit may run user code.
    withExtendedLifetime(oldValue) {}
  }

  /// Announces a write, now or at the end of the transaction. Unlocks the lock. Kept out of `write`, whose
  /// way without observers it would slow down.
  ///
  /// - Parameter mutation: The transaction that the write itself was, if it was a mutation.
  @inlinable
  @inline(never)
  final func announce(on thread: CurrentThread, as mutation: UInt64?) {
    if thread.pointee.openTransactions == 0 {
      if hasInputs { invalidate(mutation ?? thread.newTransaction()) }
      announce(value, on: thread)
    } else {
      joinTransaction(on: thread)
    }
  }

  @inlinable
  final func mutate<Result, Failure: Error>(
    _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let thread = beginMutation()
    defer { endMutation(on: thread) }
    return try body(&value)
  }

  /// Takes the lock for user code that changes the value in place.
  ///
  /// A mutation is a small transaction: what its body sets elsewhere is delivered after it, and
  /// what it invokes is dispatched after it.
  @inlinable
  final func beginMutation() -> CurrentThread {
    let thread = CurrentThread.current
    if lock.isHeld(by: thread.id) { trapInMutation() }
    thread.beginTransaction()
    thread.pointee.dispatchDeferrals += 1
    thread.pointee.openMutations += 1
    lock.lock(holder: thread.id)
    if writer != 0 { holdBack(before: thread) }
    return thread
  }

  @inlinable
  final func endMutation(on thread: CurrentThread) {
    thread.pointee.openMutations -= 1
    thread.pointee.dispatchDeferrals -= 1
    thread.endTransaction()
    version &+= 1
    if first == nil {
      lock.unlock()
    } else {
      announce(on: thread, as: thread.pointee.transaction)
    }
    thread.finish()
  }

  /// Traps if an asynchronous function that mutates the value in place has changed threads.
  @inlinable
  final func trapIfSuspended() {
    // Compares thread numbers, which are never reused: a thread's state is freed when it ends.
    guard !lock.isHeld(by: CurrentThread.current.id) else { return }
    trap(
      """
      \(self) was mutated in place across an `await`, with its lock in hand. Let the asynchronous \
      function return what is to be written, and write it then.
      """
    )
  }

  // MARK: Transactions

  /// Leaves the delivery to the end of the thread's transaction. Unlocks the lock.
  @inlinable
  final func joinTransaction(on thread: CurrentThread) {
    let transaction = thread.pointee.transaction
    guard writer != transaction else { return lock.unlock() }
    writer = transaction
    // What the transaction itself wrote before others did, because it has written again.
    let replaced = backlog?.take(heldBy: transaction)
    if replaced == nil {
      let delivery = PendingDelivery(to: self, at: transaction) { channel, transaction, thread in
        // The delivery's target is this channel.
        unsafeDowncast(channel, to: Channel.self).deliverTransaction(transaction, on: thread)
      }
      thread.append(delivery, isOwn: true)
    }
    if hasInputs { invalidate(transaction, isMoved: replaced != nil) }
    lock.unlock()
    // Released after unlocking, because a deinit may run user code.
    withExtendedLifetime(replaced) {}
  }

  /// Puts what another transaction has written into the backlog, before this thread overwrites it.
  /// The lock must be held.
  @inlinable
  final func holdBack(before thread: CurrentThread) {
    if writer == thread.pointee.transaction, thread.pointee.openTransactions > 0 { return }
    holdBack()
  }

  /// Puts what a transaction has written into the backlog, so that its next write counts as its
  /// first. The lock must be held.
  @inlinable
  final func holdBack() {
    if first != nil { enqueue(value, heldBy: writer) }
    writer = 0
  }

  /// Delivers what a transaction has written, in its order among the other changes.
  @inlinable
  final func deliverTransaction(_ transaction: UInt64, on thread: CurrentThread) {
    lock.lock()
    guard writer == transaction else {
      return releaseHeldBack(at: backlog?.index(heldBy: transaction), on: thread)
    }
    writer = 0
    if isIdle { return deliver(value, version: version, on: thread) }
    let own = version
    enqueue(value)
    takePlace(on: thread)
    lock.unlock()
    deliverBacklog(through: own, on: thread)
  }

  // MARK: Observing

  /// Subscribes an observation, which is called with the current value first unless `ignoreFirst`.
  @inlinable
  final func subscribe(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {
    let thread = CurrentThread.current
    if !ignoreFirst { observation.prepareForFirst(on: thread) }
    acquire()
    let first = ignoreFirst ? nil : value
    link(observation)
    lock.unlock()
    if let first { observation.start(first: first, on: queue, thread) }
  }
}
