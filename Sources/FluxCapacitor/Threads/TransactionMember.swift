/// An object that transactions can write. The subclass `AnyChannel` is in the folder `Delivery`.
@usableFromInline class TransactionMember: CustomStringConvertible, @unchecked Sendable {
  @usableFromInline final let lock = Lock()

  /// The state of the last write: none, written, overwritten, or committed. `lock` guards this property.
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

/// The state of the last write to a variable: none, written, overwritten, or committed.
///
/// | state | the value | before the next write |
/// |---|---|---|
/// | none | the value requires no further work | – |
/// | written | an open transaction wrote the value, which becomes a change when the transaction ends | the value may be overwritten |
/// | overwritten | another thread wrote the value during the transaction, and the value becomes a change when the transaction ends | the value becomes a change by itself |
/// | committed | the value is a change in a thread's queue of deliveries | the value is appended to the backlog |
@usableFromInline struct WriteMark {
  /// The address of the transaction, with flags in the lowest two bits. Bit 0 is set in the state
  /// "overwritten", and bit 1 is set in the state "committed".
  @usableFromInline var bits: UInt = 0

  /// Creates the state "none".
  @inlinable init() {}

  /// Creates the state "written".
  @inlinable init(_ transaction: Transaction) {
    bits = UInt(bitPattern: Unmanaged.passUnretained(transaction).toOpaque())
  }

  @inlinable static var committed: WriteMark {
    var mark = WriteMark()
    mark.bits = 2
    return mark
  }

  @inlinable var isNone: Bool { bits == 0 }

  /// Whether the state is "overwritten" or "committed".
  @inlinable var mustBeKept: Bool { bits & 3 != 0 }

  @inlinable var isCommitted: Bool { bits == 2 }

  @inlinable var isOverwritten: Bool {
    get { bits & 1 != 0 }
    set { bits = bits & ~1 | (newValue ? 1 : 0) }
  }

  /// The open transaction that has written the variable. The mark doesn't retain the transaction, because
  /// the transaction clears its marks before its release.
  @inlinable var transaction: Transaction? {
    UnsafeRawPointer(bitPattern: bits & ~3).map {
      Unmanaged<Transaction>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Whether an open transaction has written the variable.
  @inlinable var isOpen: Bool { bits > 2 }
}
