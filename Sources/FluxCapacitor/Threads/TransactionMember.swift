/// An object that transactions write: the base class of channels, which are in a later folder.
@usableFromInline class TransactionMember: CustomStringConvertible, @unchecked Sendable {
  @usableFromInline final let lock = Lock()

  /// The state of the last write: whether its value has yet to become a change, or to be
  /// delivered. `lock` guards it.
  @exclusivity(unchecked) @usableFromInline final var mark = WriteMark()

  @inlinable init() {}

  /// The object's name in the message of a trap.
  @usableFromInline var description: String { "\(Self.self)" }

  /// Makes the writes of an open transaction a change. The lock must be held.
  ///
  /// - Parameter version: The version of the transaction's place.
  /// - Returns: The version up to which that place delivers.
  @usableFromInline
  func commit(through version: Version, on thread: CurrentThread) -> Version { version }

  /// Waits for the lock and takes it. Traps if this thread holds the lock for a mutation.
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
  /// The thread never waits for a lock while it holds another one. A mutation may hold the lock of one
  /// variable while its body waits for the lock of another.
  ///
  /// - Parameters:
  ///   - count: The number of members.
  ///   - held: The index of the member that this thread has already locked, if there is one.
  ///   - member: Returns the member at an index, or `nil` if the same member is at an earlier index.
  @inline(__always) static func lockAll(
    _ count: Int,
    holding held: Int? = nil,
    _ member: (Int) -> Unmanaged<TransactionMember>?
  ) {
    guard count > 0 else { return }
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
}

/// The state of the last write to a variable: whether its value has yet to become a
/// change, or to be delivered.
///
/// | state | the value | before the next write |
/// |---|---|---|
/// | none | needs nothing | – |
/// | written | was written by an open transaction, and becomes a change when the transaction ends | the value may be overwritten |
/// | overwritten | was written by another thread during the transaction, and becomes a change when the transaction ends | the value becomes a change by itself |
/// | committed | is a change that has a place in a thread's round | the value is appended to the backlog |
@usableFromInline struct WriteMark {
  /// The address of the transaction, with flags in the lowest two bits. Bit 0 says that another thread has
  /// written since, and bit 1 that the value is committed.
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

  /// Whether the value is overwritten or committed.
  @inlinable var mustBeKept: Bool { bits & 3 != 0 }

  @inlinable var isCommitted: Bool { bits == 2 }

  @inlinable var isOverwritten: Bool {
    get { bits & 1 != 0 }
    set { bits = bits & ~1 | (newValue ? 1 : 0) }
  }

  /// The open transaction. The mark doesn't retain it, because a transaction clears its
  /// marks before it is released.
  @inlinable var transaction: Transaction? {
    UnsafeRawPointer(bitPattern: bits & ~3).map {
      Unmanaged<Transaction>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Whether an open transaction has written the variable.
  @inlinable var isOpen: Bool { bits > 2 }
}
