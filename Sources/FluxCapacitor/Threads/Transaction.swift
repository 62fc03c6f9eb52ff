/// A thread's outermost transaction: a reduce, a call of `transaction`, or the body of a `modify`.
///
/// A transaction adds a *place* (an entry) to the thread's queue of deliveries for each variable that it
/// writes and each event that it sends. While the transaction is open, the transaction's places are the
/// last entries of the queue. The transaction *commits* when it ends, before the thread gives up the
/// dispatcher's lock:
/// 1. The thread locks all variables that the transaction has written.
/// 2. The thread turns the new value of each variable into a change.
/// 3. The thread announces the changes to the derived constants that depend on several variables.
///
/// So no other change comes between the changes of one commit. The thread delivers these changes after
/// the commit.
///
/// If two open transactions write the same variable, neither transaction can correctly commit before the
/// other transaction. Such transactions are *joined*, and the last transaction to end commits all of
/// them. The dispatcher's lock prevents two transactions of one dispatcher from being open at the same
/// time.
@usableFromInline final class Transaction: @unchecked Sendable {
  /// The number of transactions that this object has committed. A thread uses the object for one
  /// transaction after another.
  ///
  /// Threads store this number with release ordering and load it with acquire ordering. So a thread that
  /// sees a transaction's commit also sees the announcements of that commit.
  let commits = ScheduledAtomic(0)

  /// Whether another open transaction has written a variable of this transaction.
  ///
  /// The value changes once, from false to true. The value is set by the transaction's own thread, or by
  /// a thread that has locked a variable with this transaction's mark. The transaction's own thread reads
  /// the value under the locks of all variables with this transaction's mark, if any.
  @exclusivity(unchecked) @usableFromInline var isJoint = false

  /// The group of joined transactions that contains this transaction, if any. `JointTransaction.lock`
  /// guards this property.
  @exclusivity(unchecked) fileprivate var joint: JointTransaction?

  init() {}

  /// Adds a place for a written channel to the thread's queue of deliveries, and sets the channel's mark.
  /// The caller must hold the channel's lock.
  ///
  /// If another open transaction has already set the mark, this method joins the two transactions.
  @inlinable func add(
    _ place: PendingDelivery,
    of member: TransactionMember,
    on thread: CurrentThread
  ) {
    let other = member.mark.transaction
    if other == nil { member.mark = WriteMark(self) }
    var place = place
    place.isFirst = other == nil
    thread.append(place, isOwn: true)
    if let other, other !== self { join(other) }
  }

  /// Joins this transaction with another transaction that has written the same variable. The caller must
  /// hold the variable's lock.
  @usableFromInline func join(_ other: Transaction) {
    JointTransaction.lock.withLock {
      (isJoint, other.isJoint) = (true, true)
      let joint = joint ?? JointTransaction(of: self)
      let others = other.joint ?? JointTransaction(of: other)
      if others !== joint { others.merge(into: joint) }
    }
  }

  /// Ends the transaction.
  ///
  /// - Parameter held: The channel of the transaction's last place, if this thread already holds the
  ///   channel's lock.
  /// - Returns: Whether the thread may reuse this object for its next transaction.
  func end(on thread: CurrentThread, holding held: TransactionMember?) -> Bool {
    let places = thread.pointee.round.count - thread.pointee.openPlaces..<thread.pointee.round.count
    TransactionMember.lockAll(places.count, holding: held == nil ? nil : places.count - 1) {
      thread.pointee.round[places.lowerBound + Int32($0)].member
    }
    guard isJoint else {
      thread.commitLocked(places, of: CollectionOfOne(self))
      return true
    }
    JointTransaction.lock.withLock { joint?.end(with: places, on: thread) }
    thread.unlock(places)
    commitJointIfEnded(on: thread)
    return false
  }

  /// Commits all joined transactions if all of them have ended. Does nothing if another thread has
  /// already committed these transactions.
  private func commitJointIfEnded(on thread: CurrentThread) {
    while let (count, members) = JointTransaction.lock.withLock({ joint?.ended }) {
      // Before all members are locked, another transaction might join the group and even end.
      TransactionMember.lockAll(members.count) { .passUnretained(members[$0]) }
      let first = thread.pointee.round.count
      let transactions = JointTransaction.lock.withLock { joint?.takePlaces(count, on: thread) }
      if let transactions {
        thread.commitLocked(first..<thread.pointee.round.count, of: transactions)
      } else {
        for member in members { member.lock.unlock() }
      }
    }
  }
}

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Commits places of the thread's queue, with no other changes between them. The caller must have
  /// locked the places' channels. This method unlocks the channels.
  fileprivate func commitLocked(
    _ places: Range<Int32>,
    of transactions: some Collection<Transaction>
  ) {
    for index in places {
      guard pointee.round[index].isOpen else { continue }
      pointee.round[index].target.use {
        $0.mark = WriteMark()
        pointee.round[index].version = $0.commit(through: pointee.round[index].version, on: self)
      }
    }
    let isAnnounced = !pointee.listeners.isEmpty
    if isAnnounced { pointee.listeners.beginAnnouncing() }
    // Update `commits` before `endAnnouncing`, because regions that waited for the commit are now ready.
    for transaction in transactions {
      // No other thread writes `commits` now, because this thread has locked all marked channels.
      transaction.commits.write { $0.store($0.load(ordering: .relaxed) &+ 1, ordering: .releasing) }
    }
    if isAnnounced {
      pointee.listeners.endAnnouncing(on: self)
      pointee.listeners.removeAll(keepingCapacity: true)
    }
    unlock(places)
  }

  fileprivate func unlock(_ places: Range<Int32>) {
    for index in places { pointee.round[index].member?.use { $0.lock.unlock() } }
  }
}

/// A group of open transactions that have written the same variables and are committed together.
private final class JointTransaction: @unchecked Sendable {
  /// The lock that guards all groups. A thread takes this lock after the locks of variables.
  static let lock = Lock()

  /// The joined transactions, to which the marks of variables refer.
  @exclusivity(unchecked) private var members: [Transaction]

  /// The number of joined transactions that are still open.
  @exclusivity(unchecked) private var openCount = 1

  /// The places (queue entries) of the joined transactions that have already ended.
  @exclusivity(unchecked) private var places = FIFO<PendingDelivery>()

  init(of transaction: Transaction) {
    members = [transaction]
    transaction.joint = self
  }

  func merge(into other: JointTransaction) {
    for member in members { member.joint = other }
    other.members += members
    other.openCount += openCount
    while let place = places.popFirst() { other.places.append(place) }
  }

  /// Moves the places of an ending transaction to this group. The transaction's own thread then delivers
  /// none of these changes.
  func end(with range: Range<Int32>, on thread: CurrentThread) {
    openCount -= 1
    for index in range where thread.pointee.round[index].isOpen {
      let place = thread.pointee.round[index]
      _ = place.target.retain()
      places.append(place)
      thread.pointee.round[index].version = Version()
    }
  }

  /// The number of places to commit and the channels to lock. The value is `nil` while a joined
  /// transaction is open, and after another thread has taken the places.
  var ended: (count: Int32, members: [TransactionMember])? {
    if openCount > 0 || places.isEmpty { return nil }
    let members = (0..<places.count).compactMap { places[$0].member?.takeUnretainedValue() }
    return (places.count, members)
  }

  /// Moves the group's places to a thread's queue of deliveries. Does nothing if a joined transaction is
  /// open or the number of places has changed.
  ///
  /// - Returns: The joined transactions, or `nil` if no places were moved. The caller has to keep the
  ///   transactions until no mark refers to them.
  func takePlaces(_ count: Int32, on thread: CurrentThread) -> [Transaction]? {
    guard openCount == 0, places.count == count else { return nil }
    while let place = places.popFirst() { thread.pointee.round.append(place) }
    defer { members = [] }
    return members
  }
}
