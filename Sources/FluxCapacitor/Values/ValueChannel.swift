/// A value that is written under a lock and tells its observers: what variables and constants share.
///
/// A write outside a transaction is announced at once. Inside one, the cell notes which transaction
/// has written, and takes a place in its thread's round; when that place comes, after the
/// transaction, the value is told. If another transaction or another thread writes in the meantime,
/// what was written so far takes its place in the backlog first, held back until then: write order
/// stays, nothing is lost, and nothing is told early.
@usableFromInline
final class ValueChannel<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  /// Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var stored: Element

  @inlinable
  init(_ value: Element) {
    stored = value
    super.init()
  }

  @usableFromInline
  override var description: String { "A Variable<\(Element.self)>" }

  override func willJoinDownstream() -> Bool {
    if writer != 0 { holdBack() }
    return backlog.map { $0.held > 0 } ?? false
  }

  override func capture() -> any Sendable { stored }
}

// What is done with a cell. They are methods of a channel that is one: a variable knows its channel
// by that type, and while a property that is downcast is counted, which would double the time that a
// read takes, `self` is not.
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
    // Its deinit may run code of the user's, so it goes when the lock is open again.
    withExtendedLifetime(oldValue) {}
  }

  /// Announces a write, now or at the transaction's end; takes the lock over.
  ///
  /// - Parameter mutation: The transaction that the write itself was, if it was one.
  @inlinable
  final func announce(on thread: CurrentThread, as mutation: UInt64?) {
    if thread.pointee.openTransactions == 0 {
      if hasInputs { invalidate(mutation ?? thread.newTransaction(), on: thread) }
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

  /// Takes the lock for code of the user's, which gets the value to change in place.
  ///
  /// A mutation is a small transaction: what its body sets elsewhere is announced after it, and what
  /// it invokes is dispatched after it.
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
    // Numbers are not given twice; the state of a thread that has ended is at no address at all.
    guard !lock.isHeld(by: CurrentThread.current.id) else { return }
    trap(
      """
      \(self) was mutated in place across an `await`, with its lock in hand. Let the asynchronous \
      function return what is to be written, and write it then.
      """
    )
  }

  // MARK: Transactions

  /// Leaves the telling to the end of the thread's transaction; takes the lock over.
  @inlinable
  final func joinTransaction(on thread: CurrentThread) {
    let transaction = thread.pointee.transaction
    guard writer != transaction else { return lock.unlock() }
    writer = transaction
    if let backlog, backlog.held > 0 { return replaceHeldBack(of: transaction, on: thread) }
    takePlace(for: transaction, on: thread)
    if hasInputs { invalidate(transaction, on: thread) }
    lock.unlock()
  }

  /// Takes the place at which what a transaction has written is told; the lock is held.
  @inlinable
  final func takePlace(for transaction: UInt64, on thread: CurrentThread) {
    thread.append(
      Delivery(to: self, at: transaction) { channel, transaction, thread in
        // The closure is that of this very cell.
        unsafeDowncast(channel, to: Channel.self).deliverTransaction(transaction, on: thread)
      },
      isOwn: true
    )
  }

  /// Forgets what the transaction itself had written before others wrote, if anything, for it has
  /// written again; takes the lock over.
  @inlinable
  final func replaceHeldBack(of transaction: UInt64, on thread: CurrentThread) {
    let replaced = backlog?.take(heldBy: transaction)
    if replaced == nil { takePlace(for: transaction, on: thread) }
    if hasInputs { invalidate(transaction, isMoved: replaced != nil, on: thread) }
    lock.unlock()
    withExtendedLifetime(replaced) {}
  }

  /// Puts what another transaction has written into the backlog, before the thread overwrites it;
  /// the lock is held.
  @inlinable
  final func holdBack(before thread: CurrentThread) {
    if writer == thread.pointee.transaction, thread.pointee.openTransactions > 0 { return }
    holdBack()
  }

  /// Puts what a transaction has written into the backlog, so that its next write counts as its first;
  /// the lock is held.
  @inlinable
  final func holdBack() {
    if first != nil { enqueue(value, heldBy: writer) }
    writer = 0
  }

  /// Tells what a transaction has written, in its turn among the other changes.
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
    claim(on: thread)
    lock.unlock()
    deliverBacklog(through: own, on: thread)
  }

  // MARK: Observing

  /// Subscribes an observation, which is told the value first if it asks for it.
  @inlinable
  final func subscribe(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {
    if ignoreFirst {
      acquire()
      link(observation)
      lock.unlock()
    } else {
      let thread = CurrentThread.current
      acquire()
      let value = self.value
      observation.prepareForFirst(on: thread)
      link(observation)
      lock.unlock()
      observation.start(first: value, on: queue, thread)
    }
  }
}
