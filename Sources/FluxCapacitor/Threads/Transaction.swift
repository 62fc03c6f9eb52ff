/// A thread's outermost transaction: a reduce, a `transaction`, or the body of a `modify`.
///
/// While the transaction is open, its places are the last ones in the thread's round: the variables
/// that it has written, and the events that it has sent. The transaction *commits* when it ends, still
/// within the dispatcher's turn:
/// 1. It locks these variables.
/// 2. It makes the value of each one a change.
/// 3. It announces the changes to the derived constants that several variables lead to.
///
/// So no other change comes between these changes. They are delivered afterward, in the round.
///
/// If two open transactions write the same variable, neither order of the two is right. They are *joined*,
/// and the last one to end commits both. A dispatcher's turn prevents this among its own transactions.
@usableFromInline final class Transaction: @unchecked Sendable {
  /// The number of transactions committed with this object, which serves one transaction after another.
  ///
  /// The number is stored with release ordering and loaded with acquire ordering. So a thread that sees the
  /// commit of a transaction also sees what the transaction has announced.
  let commits = ScheduledAtomic(0)

  /// Whether another open transaction has written the same variable.
  ///
  /// It becomes true once, under the lock of a variable that has the mark of this transaction, or
  /// on its own thread. It is read under the locks of all variables that have the mark, or on its
  /// own thread if there are none.
  @exclusivity(unchecked) @usableFromInline var isJoint = false

  /// The group of transactions that this one is joined with. `JointTransaction.lock` guards it.
  @exclusivity(unchecked) fileprivate var joint: JointTransaction?

  init() {}

  /// Appends a place for a write to the round, and marks the channel. The channel's lock must be held.
  ///
  /// If another open transaction has marked the channel, the two are joined.
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

  /// Joins this transaction with the one that has marked a variable. The variable's lock must be held.
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
  /// - Parameter held: The channel of the last place, if this thread already holds its lock.
  /// - Returns: Whether the thread may use this object for its next transaction.
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

  /// Commits all joined transactions, unless some are still open, or another thread has committed them.
  private func commitJointIfEnded(on thread: CurrentThread) {
    while let (count, members) = JointTransaction.lock.withLock({ joint?.ended }) {
      // While the members are unlocked, another transaction may join, and even end.
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
  /// Commits places in the round, with no other changes between them. The channels must be locked.
  /// They are unlocked afterward.
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
    // This comes before the listeners take places: regions that the transactions have held are now ready.
    for transaction in transactions {
      // No other thread writes the count, because the channels with the transaction's marks are locked.
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

/// Open transactions that have written the same variables and are committed as one.
private final class JointTransaction: @unchecked Sendable {
  /// The lock that guards all instances. It is taken after the locks of variables.
  static let lock = Lock()

  /// The joined transactions, to which the marks of the variables refer.
  @exclusivity(unchecked) private var members: [Transaction]

  /// The number of members that are still open.
  @exclusivity(unchecked) private var openCount = 1

  /// The places of the members that have ended.
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

  /// Takes over the places of a transaction that ends. The transaction's thread delivers nothing in them.
  func end(with range: Range<Int32>, on thread: CurrentThread) {
    openCount -= 1
    for index in range where thread.pointee.round[index].isOpen {
      let place = thread.pointee.round[index]
      _ = place.target.retain()
      places.append(place)
      thread.pointee.round[index].version = Version()
    }
  }

  /// The number of places to commit, and the channels to lock, if no transaction is open.
  var ended: (count: Int32, members: [TransactionMember])? {
    if openCount > 0 || places.isEmpty { return nil }
    let members = (0..<places.count).compactMap { places[$0].member?.takeUnretainedValue() }
    return (places.count, members)
  }

  /// Moves the places to a thread's round, if no transaction is open and no place has been added.
  ///
  /// - Returns: The transactions, to be released when no mark refers to them any more.
  func takePlaces(_ count: Int32, on thread: CurrentThread) -> [Transaction]? {
    guard openCount == 0, places.count == count else { return nil }
    while let place = places.popFirst() { thread.pointee.round.append(place) }
    defer { members = [] }
    return members
  }
}
