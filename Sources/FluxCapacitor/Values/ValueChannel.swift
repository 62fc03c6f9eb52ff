/// The channel of a value that is written under a lock. A variable and its constants share it.
///
/// A write outside a transaction is a change. For a write inside one, the transaction lists the
/// variable, and makes its value a change when it ends. See `WriteMark` for the effect of another
/// thread's write in between.
@usableFromInline
final class ValueChannel<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  /// Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var stored: Element

  @inlinable init(_ value: Element) {
    stored = value
    super.init()
  }

  override var description: String { "A Variable<\(Element.self)>" }

  override var anyValue: any Sendable { stored }

  /// Makes the value a change. In an idle channel, it stays in place. Otherwise, it joins the backlog.
  override func commit(through _: Version, on thread: CurrentThread) -> Version {
    if let attachments = anyAttachments, !attachments.listeners.isEmpty {
      thread.pointee.listeners.insert(contentsOf: attachments.listeners)
    }
    if needsDelivery {
      if isIdle { mark = .committed } else { enqueue(value) }
    }
    return version
  }
}

// The operations of a value's channel are methods of `Channel`, because a variable knows its
// channel by that type. Downcasting the variable's property would retain the channel, which would
// double the time of a read. Downcasting `self` doesn't retain it.
extension Channel {
  @inlinable final var value: Element {
    _read { yield unsafeDowncast(self, to: ValueChannel<Element>.self).stored }
    _modify { yield &unsafeDowncast(self, to: ValueChannel<Element>.self).stored }
  }

  @inlinable final func read() -> Element {
    acquire()
    defer { lock.unlock() }
    return value
  }

  @inlinable final func write(_ newValue: Element) {
    acquire()
    if mark.mustBeKept { keepValue(on: .current) }
    var oldValue = newValue
    swap(&oldValue, &value)
    version = version.next
    if isObserved {
      let thread = CurrentThread.current
      let delivery = makeChange(newValue, on: thread)
      lock.unlock()
      deliverNow(newValue, delivery, on: thread)
    } else {
      lock.unlock()
    }
    // Released after unlocking, because a deinit may run user code.
    withExtendedLifetime(oldValue) {}
  }

  /// Makes a write a change, now or at the end of a transaction. The lock must be held.
  ///
  /// - Returns: The delivery of the change, if it can be delivered now.
  @inlinable @inline(never)
  final func makeChange(_ value: Element, on thread: CurrentThread) -> Delivery? {
    guard thread.pointee.openTransactions == 0, mark.isNone else {
      leaveToTransaction(on: thread)
      return nil
    }
    let delivery = needsDelivery ? schedule(value, on: thread) : nil
    attachments?.use { $0.listeners.announceChange(on: thread) }
    return delivery
  }

  @inlinable final func mutate<Result, Failure: Error>(
    _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let thread = beginMutation()
    defer { endMutation(on: thread) }
    return try body(&value)
  }

  /// Takes the lock for user code that changes the value in place.
  ///
  /// A mutation is a small transaction: other variables that its body sets are delivered after it,
  /// and states that it invokes are dispatched after it.
  @inlinable final func beginMutation() -> CurrentThread {
    let thread = CurrentThread.current
    if lock.isHeld(by: thread.id) { trapInMutation() }
    thread.beginTransaction()
    thread.pointee.dispatchDeferrals += 1
    thread.pointee.openMutations += 1
    lock.lock(holder: thread.id)
    if mark.mustBeKept { keepValue(on: thread) }
    return thread
  }

  @inlinable final func endMutation(on thread: CurrentThread) {
    thread.pointee.openMutations -= 1
    thread.pointee.dispatchDeferrals -= 1
    version = version.next
    let isOutermost = thread.pointee.openTransactions == 1
    if !isObserved {
      lock.unlock()
      thread.endTransaction()
    } else if isOutermost, !thread.hasOpenPlaces {
      thread.endTransaction()
      let value = value
      let delivery = makeChange(value, on: thread)
      lock.unlock()
      deliverNow(value, delivery, on: thread)
    } else {
      // This variable becomes the last in the list, unless it is in another transaction's list.
      let isHeld = isOutermost && mark.isNone
      leaveToTransaction(on: thread)
      if !isHeld { lock.unlock() }
      thread.endTransaction(holding: isHeld ? self : nil)
    }
    thread.finish()
  }

  /// Traps if an asynchronous function that mutates the value in place has changed threads.
  @inlinable final func trapIfSuspended() {
    // Compares thread numbers, which are never reused: a thread's state is freed when the thread ends.
    guard !lock.isHeld(by: CurrentThread.current.id) else { return }
    trap(
      "\(self) was mutated in place across an `await`, while its lock was held.",
      "Let the asynchronous function return the new value, and write it afterward."
    )
  }

  // MARK: Transactions

  /// Leaves a written value to the end of a transaction: this thread's own or, without one, the
  /// open transaction that has written the variable. The lock must be held.
  @inlinable final func leaveToTransaction(on thread: CurrentThread) {
    guard thread.pointee.openTransactions > 0 else { return mark.isOverwritten = true }
    mark.isOverwritten = false
    thread.pointee.transaction.use { transaction in
      if let other = mark.transaction {
        if other !== transaction { transaction.join(other) }
        return
      }
      let place = PendingDelivery(
        to: self,
        isOpen: true,
        // The place's target is this channel.
        by: { unsafeDowncast($0, to: Channel.self).deliverCommitted(through: $1, on: $2) }
      )
      transaction.add(place, of: self, on: thread)
    }
  }

  /// Delivers the value that a transaction has committed, unless it has been appended to the backlog.
  @inlinable final func deliverCommitted(through version: Version, on thread: CurrentThread) {
    lock.lock()
    // Another thread may have appended the value to the backlog, and have committed a value of its own.
    guard mark.isCommitted, self.version == version else {
      lock.unlock()
      return deliverBacklog(through: version, on: thread)
    }
    mark = WriteMark()
    let value = value
    let delivery = beginDelivering(version, on: thread)
    lock.unlock()
    deliver(value, delivery, on: thread)
  }

  /// Makes sure that the value is delivered although it is about to be overwritten. The lock must be held.
  @usableFromInline final func keepValue(on thread: CurrentThread) {
    if mark.isCommitted {
      mark = WriteMark()
      enqueue(value)
    } else {
      if needsDelivery {
        enqueue(value)
        takePlace(on: thread)
      }
      attachments?.use { $0.listeners.announceChange(on: thread) }
    }
  }

  // MARK: Observing

  /// Subscribes an observation, and calls it with the current value first unless `ignoreFirst` is true.
  @inlinable final func subscribe(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {
    let thread = CurrentThread.current
    if !ignoreFirst { observation.prepareForFirst(on: thread) }
    acquire()
    let first = ignoreFirst ? nil : value
    link(observation, since: version)
    lock.unlock()
    if let first { observation.start(first: first, on: queue, thread) }
  }
}
