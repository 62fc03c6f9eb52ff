/// An object whose changes belong to transactions: a channel, whose type is in a layer above.
@usableFromInline class TransactionMember: CustomStringConvertible, @unchecked Sendable {
  @usableFromInline final let lock = Lock()

  /// Whether its value has yet to become a change, or to be delivered. Guarded by `lock`.
  @exclusivity(unchecked) @usableFromInline final var mark = WriteMark()

  @inlinable init() {}

  /// The object's name in the sentence of a trap.
  @usableFromInline var description: String { "\(Self.self)" }

  /// Makes what an open transaction has left a change. The lock must be held.
  ///
  /// - Parameter version: The version of the transaction's place.
  /// - Returns: The version up to which that place delivers.
  @usableFromInline
  func commit(through version: Version, on thread: CurrentThread) -> Version { version }

  /// Waits for the lock, or traps if this thread holds it for a mutation.
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
  /// The thread never waits for a lock while it holds another: a mutation may hold the lock of one
  /// variable while its body waits for that of another.
  ///
  /// - Parameters:
  ///   - count: How many members there are.
  ///   - held: The index of the member whose lock this thread already holds, if there is one.
  ///   - member: Returns a member, or `nil` for one that comes a second time.
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

/// Whether the value of a variable has yet to become a change, or has yet to be delivered.
///
/// | state | the value | before the next write |
/// |---|---|---|
/// | none | needs nothing | – |
/// | written | is that of an open transaction, and becomes a change when that ends | it may be overwritten |
/// | overwritten | is that of another thread amid the transaction, and becomes a change when that ends | it becomes a change by itself |
/// | committed | is a change, for which a thread has a place in its round | it is appended to the backlog |
@usableFromInline struct WriteMark {
  /// The address of the transaction. Of the lowest two bits, one says that another thread has written
  /// since, and the other that the value is committed.
  @usableFromInline var bits: UInt = 0

  /// None.
  @inlinable init() {}

  /// Written.
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

  /// The open transaction. Unretained, because it clears its marks before it is released.
  @inlinable var transaction: Transaction? {
    UnsafeRawPointer(bitPattern: bits & ~3).map {
      Unmanaged<Transaction>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Whether an open transaction has written the variable.
  @inlinable var isOpen: Bool { bits > 2 }
}
