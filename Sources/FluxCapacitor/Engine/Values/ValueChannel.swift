/// A channel that stores a variable's value, which threads read and write under the channel's lock. A
/// variable and its constants share the channel.
///
/// A write outside a transaction is a change by itself. A write inside a transaction adds a place for the
/// variable to the thread's round. When the transaction ends, it makes the variable's value a change. A
/// write by another thread meanwhile belongs to this change; see `PendingWrite`.
@usableFromInline class ValueChannel<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  /// The variable's value, which the channel's lock guards.
  @exclusivity(unchecked) @usableFromInline final var stored: Element

  @inlinable init(_ value: Element, handles: UInt32 = 1) {
    stored = value
    super.init(handles: handles)
  }

  override var description: String { "A Variable<\(Element.self)>" }

  override var anyValue: any Sendable { stored }

  override func observe(calling didChange: @escaping @Sendable () -> Void) -> Dust {
    let observation = Observation<Element>(on: .current) { _ in didChange() }
    observation.keepsSurroundings = true
    subscribe(observation, on: .current, ignoreFirst: true)
    return observation
  }

  /// Makes the variable's value a change, unless another transaction has already done so. If the change needs
  /// a delivery, an idle channel keeps the value in `stored` until then. In a busy channel, the value joins
  /// the backlog.
  override func commit(through _: Version, on thread: CurrentThread) -> Version {
    guard pendingWrite.isWritten else { return .beginning }
    recordCommit(self)
    pendingWrite.writer = 0
    anyExtras?.use {
      if let region = $0.region, !region.joining.isEmpty {
        region.admitJoining(to: version, on: thread)
      }
      thread.pointee.inputs += $0.inputs
    }
    // If only constants of other regions use the variable, its place delivers nothing.
    guard hasLocalDependents else { return .beginning }
    if isIdle { pendingWrite.waitsForDelivery = true } else { enqueue(value) }
    return version
  }
}

// The operations of a value's channel are methods of `Channel`, because a variable knows its channel by
// that type. Downcasting the variable's property would retain the channel, which would double the time
// of a read. Downcasting `self` doesn't retain the channel.
extension Channel {
  @inlinable final var value: Element {
    _read { yield unsafeDowncast(self, to: ValueChannel<Element>.self).stored }
    _modify { yield &unsafeDowncast(self, to: ValueChannel<Element>.self).stored }
  }

  @inlinable final func read() -> Element {
    recordOperation("reads", self)
    acquire()
    defer { lock.unlock() }
    recordOperation("reads", self, value)
    return value
  }

  /// Replaces the value, and returns the former value. A caller that holds a lock releases the former value later.
  @discardableResult @inlinable final func write(_ newValue: Element) -> Element {
    recordOperation("sets", self, newValue)
    acquire()
    if pendingWrite.waitsForDelivery { moveToBacklog() }
    var oldValue = newValue
    swap(&oldValue, &value)
    version = version.next
    recordWrite(self, newValue, isCommitted: !hasDependents)
    if hasDependents {
      let thread = CurrentThread.current
      let delivery = makeChange(newValue, on: thread)
      lock.unlock()
      deliverNow(newValue, delivery, on: thread)
    } else {
      lock.unlock()
    }
    // The old value is released after unlocking, because a `deinit` can run user code.
    withExtendedLifetime(oldValue) {}
    return oldValue
  }

  /// Makes a write a change, immediately or at the end of a transaction. The caller must hold the
  /// variable's lock.
  ///
  /// - Returns: The delivery of the change, or `nil` if this thread can't deliver the change now.
  @inlinable @inline(never)
  final func makeChange(_ value: Element, on thread: CurrentThread) -> ChangeInProgress? {
    guard thread.pointee.openTransactions == 0, !pendingWrite.isWritten else {
      leaveToTransaction(on: thread)
      return nil
    }
    recordCommit(self)
    let delivery = hasLocalDependents ? schedule(value, on: thread) : nil
    extras?.use { if !$0.inputs.isEmpty { $0.inputs.announce(on: thread) } }
    return delivery
  }

  @inlinable final func mutate<Result, Failure: Error>(
    _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let thread = beginMutation()
    defer { endMutation(on: thread) }
    return try body(&value)
  }

  /// Takes the variable's lock, so that user code can change the value in place.
  ///
  /// A mutation is a small transaction. Other variables that its body writes are delivered after the
  /// mutation. States that its body invokes are dispatched after the mutation.
  ///
  /// - Parameter isInPlace: Whether an asynchronous function can be suspended during the mutation.
  @inlinable final func beginMutation(isInPlace: Bool = false) -> CurrentThread {
    recordOperation("changes", self)
    let thread = CurrentThread.current
    if lock.isHeld(by: thread.id) { trapInMutation() }
    thread.pointee.openTransactions += 1
    thread.pointee.dispatchDeferrals += 1
    thread.pointee.openMutations += 1
    lockForMutation(on: thread)
    if pendingWrite.patience > 0, thread.pointee.openMutations == 1 { waitForCommit(on: thread) }
    if isInPlace, thread.pointee.isMainUnwatched { thread.watchMainQueue() }
    return thread
  }

  /// Gives up the variable's lock for a while, so that another thread can lock this variable together with others.
  ///
  /// The wait ends even if that thread doesn't succeed, because the body of another `modify` might wait for this one.
  @usableFromInline final func waitForCommit(on thread: CurrentThread) {
    let patience = pendingWrite.patience
    for _ in 0..<1 << patience {
      lock.unlock()
      for _ in 0..<64 where !thread.yieldProcessor() { break }
      lockForMutation(on: thread)
      if pendingWrite.patience == 0 { return }
    }
    pendingWrite.patience = min(patience + 2, 20)
  }

  /// Takes the variable's lock within a mutation that has already begun.
  @inlinable final func lockForMutation(on thread: CurrentThread) {
    lock.lock(holder: thread.id)
    if pendingWrite.waitsForDelivery { moveToBacklog() }
  }

  /// Releases the variable's lock, and makes the mutation a change.
  ///
  /// - Parameters:
  ///   - isChange: Whether the mutation has written the value.
  ///   - hasParts: Whether the mutation has also written parts of this variable. The lock is then held
  ///     until the commit, even if the variable isn't observed.
  @inlinable final func endMutation(
    on thread: CurrentThread,
    isChange: Bool = true,
    hasParts: Bool = false
  ) {
    recordOperation("changes", self, value)
    thread.pointee.openMutations -= 1
    thread.pointee.dispatchDeferrals -= 1
    if isChange {
      version = version.next
      recordWrite(self, value, isCommitted: !hasDependents)
    }
    let isOutermost = thread.pointee.openTransactions == 1
    let needsCommit = hasDependents || hasParts && isOutermost && thread.hasOpenPlaces
    if !isChange || !needsCommit {
      lock.unlock()
      thread.endTransaction()
    } else if isOutermost, !thread.hasOpenPlaces {
      thread.endTransaction()
      let value = value
      let delivery = makeChange(value, on: thread)
      lock.unlock()
      deliverNow(value, delivery, on: thread)
    } else {
      leaveToTransaction(on: thread)
      // Inside a transaction, such as a reduce, the transaction's end commits the variable. Otherwise, this
      // mutation is the transaction, and the variable is the last one that has a place.
      if !isOutermost { lock.unlock() }
      thread.endTransaction(holdingLast: isOutermost)
    }
    thread.deliverPlacesAndDispatch()
  }

  /// Leaves a mutated value to the open transaction, and unlocks the variable. The mutation goes on for
  /// another variable.
  @inlinable final func unlockMutated(on thread: CurrentThread) {
    version = version.next
    recordWrite(self, value, isCommitted: !hasDependents)
    if hasDependents { leaveToTransaction(on: thread) }
    lock.unlock()
  }

  /// Traps if an asynchronous function has moved to another thread while it changes the value in place.
  @inlinable final func trapIfSuspended() {
    // This check compares thread numbers, because a thread that ends inside a mutation keeps its number. The
    // thread's state is freed, so a later thread can get the same address.
    if !lock.isHeld(by: CurrentThread.current.id) { trapInSuspendedMutation(of: description) }
  }

  // MARK: Transactions

  /// Leaves a written value to this thread's open transaction, which makes the value a change when it ends.
  /// If this thread has no open transaction, the value is left to the transaction that has already written
  /// the variable. The caller must hold the variable's lock.
  @inlinable final func leaveToTransaction(on thread: CurrentThread) {
    guard thread.pointee.openTransactions > 0, noteWrite(on: thread) else { return }
    let place = Place(
      to: self,
      isUncommitted: true,
      // The closure receives the target of `place`, which is this channel.
      by: { unsafeDowncast($0, to: Channel.self).deliverCommitted(through: $1, on: $2) }
    )
    thread.append(place, isOwn: true)
  }

  /// Delivers the value that a transaction has committed. If the value is already in the backlog,
  /// delivers the backlog instead, which is empty if no delivery was needed.
  @inlinable final func deliverCommitted(through version: Version, on thread: CurrentThread) {
    lock.lock()
    // Another thread might have moved the value to the backlog, and might even have committed a newer
    // value.
    guard pendingWrite.waitsForDelivery, self.version == version else {
      lock.unlock()
      return deliverBacklog(through: version, on: thread)
    }
    pendingWrite.waitsForDelivery = false
    let value = value
    let delivery = beginDelivering(version, on: thread)
    lock.unlock()
    deliver(value, delivery, on: thread)
    endDelivering(on: thread)
  }

  /// Moves a value that waits for delivery to the backlog, because a write is about to replace the value. The
  /// caller must hold the variable's lock.
  @usableFromInline final func moveToBacklog() {
    pendingWrite.waitsForDelivery = false
    enqueue(value)
  }

  // MARK: Observing

  /// Subscribes an observation. Unless `ignoreFirst` is true, the observer is first called with the
  /// current value.
  @inlinable final func subscribe(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {
    recordOperation("observes", self)
    let thread = CurrentThread.current
    if thread.pointee.isEverReplaced { observation.keep(.current) }
    if !ignoreFirst { observation.prepareForFirst(on: thread) }
    acquire()
    let first = ignoreFirst ? nil : value
    link(observation, since: version)
    lock.unlock()
    if let first { observation.start(first: first, on: queue, thread) }
  }
}
