/// An object that transactions can write. The subclass `AnyChannel` is in the folder `Delivery`.
@usableFromInline class TransactionMember: CustomStringConvertible, @unchecked Sendable {
  @usableFromInline final let lock = Lock()

  /// The state of the last write: none, written, or waiting for delivery. `lock` guards this property.
  @exclusivity(unchecked) @usableFromInline final var mark = WriteMark()

  @inlinable init() {}

  /// The object's name in the messages of traps.
  @usableFromInline var description: String { "\(Self.self)" }

  /// Turns the writes of an open transaction into a change. The caller must hold `lock`.
  ///
  /// - Parameter version: The version of the transaction's place in the queue of deliveries.
  /// - Returns: The version up to which the place delivers the channel's changes.
  @usableFromInline
  func commit(through version: Version, on thread: CurrentThread) -> Version { version }

  /// Notes that this thread's open transaction has written the object. The caller must hold `lock`.
  ///
  /// - Returns: Whether the transaction has no place for the object yet, so that the caller has to add one.
  @inlinable final func noteWrite(on thread: CurrentThread) -> Bool {
    if mark.writer == thread.id { return false }
    mark.writer = thread.id
    if mark.listings > 0, thread.lists(self) { return false }
    mark.listings += 1
    return true
  }

  /// Whether this object is a part of another one, which every thread locks before it writes the part.
  func isPart(of other: TransactionMember) -> Bool { false }

  /// Acquires the lock, or traps if this thread already holds the lock for a mutation.
  @inlinable final func acquire() {
    trapIfInMutation()
    lock.lock()
  }

  @inlinable final func trapIfInMutation() {
    if lock.isHeldForUser, lock.isHeld(by: CurrentThread.current.id) { trapInMutation() }
  }

  @usableFromInline final func trapInMutation() -> Never {
    trap(
      "\(self) was used inside its own mutation.",
      "Use the value that `modify` passes to its closure, or read the variable before the mutation."
    )
  }

  /// Locks several members.
  ///
  /// The thread never waits for one lock while holding another lock. Otherwise, the thread could deadlock
  /// with a mutation that holds one variable's lock while waiting for another variable's lock. A thread that
  /// has locked a table may wait for the locks of the table's parts, because a thread with the lock of a
  /// part waits for no table.
  ///
  /// - Parameters:
  ///   - count: The number of members.
  ///   - held: The index of the member that this thread has already locked, if any.
  ///   - member: Returns the member at an index, or `nil` if an earlier index has the same member.
  @inline(__always) static func lockAll(
    _ count: Int,
    holding held: Int? = nil,
    _ member: (Int) -> Unmanaged<TransactionMember>?
  ) {
    guard count > 0 else { return }
    if let held, areParts(held, count, member) {
      for index in 0..<count where index != held { member(index)?.use { $0.acquire() } }
      return
    }
    var first = held ?? 0
    if held == nil { member(first)?.use { $0.acquire() } }
    while true {
      let busy = (0..<count).first { index in
        guard index != first, let member = member(index) else { return false }
        member.use { $0.trapIfInMutation() }
        return !member.use { $0.lock.tryLock() }
      }
      guard let busy else { return }
      for index in 0..<count where index == first || index < busy {
        member(index)?.use { $0.lock.unlock() }
      }
      first = busy
      member(first)?.use { $0.acquire() }
    }
  }

  /// Whether all members, except for the held one, are parts of the held one.
  private static func areParts(
    _ held: Int,
    _ count: Int,
    _ member: (Int) -> Unmanaged<TransactionMember>?
  ) -> Bool {
    guard let whole = member(held) else { return false }
    return whole.use { whole in
      (0..<count).allSatisfy { index in
        index == held || member(index)?.use { $0.isPart(of: whole) } ?? true
      }
    }
  }
}

/// The state of a variable's last write, and the open transactions that have written the variable.
///
/// | state | the value | the next write |
/// |---|---|---|
/// | none | requires no further work | – |
/// | written | becomes a change when the writing transaction ends, or when another transaction that has written the variable ends first | replaces the value |
/// | waits for delivery | is a change in a thread's queue of deliveries | first appends the value to the backlog |
///
/// Another thread's write during the transaction replaces the value too, and belongs to the same change.
@usableFromInline struct WriteMark {
  /// The number of the thread whose open transaction wrote the variable last, or zero if no write waits for
  /// the end of a transaction.
  @usableFromInline var writer: UInt32 = 0

  /// The number of open transactions that have a place for the variable. Each of them belongs to a thread of
  /// its own.
  @usableFromInline var listings: UInt16 = 0

  /// Whether the value is a change that waits in a thread's queue of deliveries.
  @usableFromInline var waitsForDelivery = false

  @inlinable init() {}

  @inlinable var isWritten: Bool { writer != 0 }
}
