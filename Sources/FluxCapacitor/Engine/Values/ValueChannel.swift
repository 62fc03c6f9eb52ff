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

  @usableFromInline override var holdsObjects: Bool { !_isPOD(Element.self) }

  override func observe(calling didChange: @escaping @Sendable () -> Void) -> Dust {
    let observation = Observation<Element>(on: .current) { _ in didChange() }
    observation.keepsSurroundings = true
    subscribe(observation, on: .current, ignoreFirst: true)
    return observation
  }

  /// Makes the variable's value a change, unless another transaction has already done so. If the change needs
  /// a delivery, an idle channel keeps the value in `stored` until then. In a busy channel, the value joins
  /// the backlog.
  override func commit(at place: Int32, on thread: CurrentThread) -> Version {
    guard pendingWrite.isWritten else { return .beginning }
    recordCommit(self)
    pendingWrite.writer = 0
    extrasWord.extras?.use {
      $0.region?.use { if !$0.joining.isEmpty { $0.admitJoining(to: version, on: thread) } }
      for (input, _) in $0.inputs { thread.pointee.inputs.append((input, place)) }
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
    if pendingWrite.patience > 0 { letCommitPass(holder: 0, on: currentThread()) }
    if pendingWrite.waitsForDelivery { moveToBacklog() }
    var oldValue = newValue
    swap(&oldValue, &value)
    version = version.next
    recordWrite(self, newValue, isCommitted: !hasDependents)
    if hasDependents {
      let thread = currentThread()
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
    let thread = currentThread()
    observation.prepare(ignoreFirst: ignoreFirst, on: thread)
    acquire()
    let first = ignoreFirst ? nil : value
    link(observation, since: version)
    lock.unlock()
    if let first { observation.start(first: first, on: queue, thread) }
  }
}
