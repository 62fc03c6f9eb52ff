/// A thread's outermost transaction: a reduce, a `transaction`, or the body of a `modify`.
///
/// While it is open, it lists the variables that it has written. When it ends, still within the
/// dispatcher's turn, it *commits*: it locks these variables, makes each one's value a change, and
/// announces the changes to the derived constants that several variables lead to. So no other
/// change comes between them. They are delivered afterward, in the thread's round.
///
/// If two open transactions write the same variable, no order of the two is right. They are *joined*,
/// and the last one to end commits both. A dispatcher's turn prevents this among its own.
@usableFromInline final class Transaction: @unchecked Sendable {
  /// How many transactions of this thread have been committed: an object serves for one after the other.
  ///
  /// Releasing and acquiring: a thread that sees that one has been committed sees what it has announced.
  let commits = ScheduledAtomic(0)

  /// A variable that was written, or an event that a sink has sent, and how that becomes a change. The
  /// closure is created where the type is known; see `PendingDelivery`.
  @usableFromInline struct Write {
    @usableFromInline let member: Unmanaged<TransactionMember>
    @usableFromInline let version: Version

    /// Whether it is the transaction's first write to the member.
    @usableFromInline let isFirst: Bool

    /// Takes a place in the thread's round, which adopts the reference to the member.
    @usableFromInline let commit: @Sendable (TransactionMember, Version, CurrentThread) -> Void

    @inlinable init(
      _ member: TransactionMember,
      _ version: Version,
      isFirst: Bool,
      commit: @escaping @Sendable (TransactionMember, Version, CurrentThread) -> Void
    ) {
      self.member = .passRetained(member)
      self.version = version
      self.isFirst = isFirst
      self.commit = commit
    }
  }

  /// In order. Each owns one reference to its member. Belongs to the transaction's thread.
  @exclusivity(unchecked) @usableFromInline var writes = FIFO<Write>()

  /// The transactions that it is joined with. It is set once, under the lock of a variable that has
  /// the mark of this transaction, and read under the locks of all of them.
  @exclusivity(unchecked) @usableFromInline var joint: JointTransaction?

  init() {}

  /// Whether there is nothing to do at its end.
  @inlinable var isEmpty: Bool { writes.isEmpty && joint == nil }

  /// Lists a write, and marks its member. The member's lock must be held.
  ///
  /// If another open transaction has marked the member, the two are joined.
  @inlinable func add(
    _ member: TransactionMember,
    _ version: Version,
    commit: @escaping @Sendable (TransactionMember, Version, CurrentThread) -> Void
  ) {
    let other = member.mark.transaction
    if other == nil { member.mark = WriteMark(self) }
    writes.append(Write(member, version, isFirst: other == nil, commit: commit))
    if let other, other !== self { join(other) }
  }

  /// Joins the transaction that has marked a variable. The variable's lock must be held.
  @usableFromInline func join(_ other: Transaction) {
    JointTransaction.lock.withLock {
      let joint = joint?.current ?? JointTransaction()
      if self.joint == nil {
        joint.add(self)
        self.joint = joint
      }
      guard let others = other.joint?.current else {
        joint.add(other)
        other.joint = joint
        return
      }
      if others !== joint { others.merge(into: joint) }
    }
  }

  /// Ends the transaction.
  ///
  /// - Parameter held: The last variable in the list, if this thread already holds its lock.
  /// - Returns: Whether the thread may use this object for its next transaction.
  func end(on thread: CurrentThread, holding held: TransactionMember?) -> Bool {
    let last = Int(writes.count) - 1
    TransactionMember.lockAll(last + 1, holding: held == nil ? nil : last) {
      writes[Int32($0)].isFirst ? writes[Int32($0)].member : nil
    }
    guard let joint else {
      commit(&writes, of: CollectionOfOne(self), on: thread)
      return true
    }
    // Another thread may commit, and release them, as soon as they are unlocked.
    let members = writes.members
    joint.end(self)
    for member in members { member.lock.unlock() }
    joint.commitIfEnded(on: thread)
    return false
  }
}

extension FIFO where Element == Transaction.Write {
  /// What was written, each once.
  fileprivate var members: [TransactionMember] {
    (0..<count).compactMap { self[$0].isFirst ? self[$0].member.takeUnretainedValue() : nil }
  }
}

/// Makes writes changes, which have no others between them. Their members must be locked, and are
/// unlocked.
private func commit(
  _ writes: inout FIFO<Transaction.Write>,
  of transactions: some Collection<Transaction>,
  on thread: CurrentThread
) {
  for index in 0..<writes.count {
    writes[index].member.use {
      $0.mark = WriteMark()
      writes[index].commit($0, writes[index].version, thread)
    }
  }
  let isAnnounced = !thread.pointee.listeners.isEmpty
  if isAnnounced { thread.pointee.listeners.beginAnnouncing() }
  for transaction in transactions {
    // Nobody else writes it, because its marks are locked.
    transaction.commits.write { $0.store($0.load(ordering: .relaxed) &+ 1, ordering: .releasing) }
  }
  if isAnnounced {
    thread.pointee.listeners.endAnnouncing(on: thread)
    thread.pointee.listeners.removeAll()
  }
  // The places in the round hold the members.
  while let write = writes.popFirst() {
    if write.isFirst { write.member.use { $0.lock.unlock() } }
  }
}

/// Open transactions that have written the same variables, and are committed as one.
@usableFromInline final class JointTransaction: @unchecked Sendable {
  /// Guards all of the following, of all instances. Taken after the locks of variables.
  static let lock = Lock()

  /// What it was merged into, if it was.
  @exclusivity(unchecked) private var successor: JointTransaction?

  /// Those that belong to it, which the marks of the variables refer to.
  @exclusivity(unchecked) private var members: [Transaction] = []

  /// How many of them are still open.
  @exclusivity(unchecked) private var openCount = 0

  /// What those that have ended have written.
  @exclusivity(unchecked) private var writes = FIFO<Transaction.Write>()

  /// The last one in the chain of successors. The lock must be held.
  var current: JointTransaction {
    var current = self
    while let successor = current.successor { current = successor }
    return current
  }

  /// The lock must be held.
  func add(_ transaction: Transaction) {
    members.append(transaction)
    openCount += 1
  }

  /// The lock must be held.
  func merge(into other: JointTransaction) {
    successor = other
    other.members += members
    other.openCount += openCount
    while let write = writes.popFirst() { other.writes.append(write) }
    (members, openCount) = ([], 0)
  }

  /// Takes over what a transaction leaves, which ends.
  func end(_ transaction: Transaction) {
    JointTransaction.lock.withLock {
      let joint = current
      joint.openCount -= 1
      for index in 0..<transaction.writes.count { joint.writes.append(transaction.writes[index]) }
    }
  }

  /// Commits all, unless some are still open, or another thread has done it.
  func commitIfEnded(on thread: CurrentThread) {
    while let (count, members) = JointTransaction.lock.withLock({ current.ended }) {
      // While they are not locked, another transaction may join, and even end.
      TransactionMember.lockAll(members.count) { .passUnretained(members[$0]) }
      var writes = FIFO<Transaction.Write>()
      var transactions: [Transaction] = []
      let isTaken = JointTransaction.lock.withLock {
        current.take(count, into: &writes, &transactions)
      }
      if isTaken {
        commit(&writes, of: transactions, on: thread)
        // No mark refers to them any more.
        transactions.removeAll()
      } else {
        for member in members { member.lock.unlock() }
      }
    }
  }

  /// How many writes there are to commit, and their members, if no transaction is open. The lock must be held.
  private var ended: (count: Int32, members: [TransactionMember])? {
    openCount > 0 || writes.isEmpty ? nil : (writes.count, writes.members)
  }

  /// Takes out all, if no transaction is open and no other writes have been added. The lock must be held.
  private func take(
    _ count: Int32,
    into writes: inout FIFO<Transaction.Write>,
    _ transactions: inout [Transaction]
  ) -> Bool {
    guard openCount == 0, self.writes.count == count else { return false }
    swap(&writes, &self.writes)
    swap(&transactions, &members)
    return true
  }
}
