import Synchronization

/// The attachments of a channel, and the read-only side of the channel's variable, in a single word.
///
/// The read-only side is the constant of a variable, or the constant table of a variable table. A single
/// word keeps variables small:
///
/// | word | meaning |
/// |---|---|
/// | zero | the channel has neither attachments nor a read-only side |
/// | odd | the address of the read-only side, plus one |
/// | even | the address of the attachments, which hold the address of the read-only side |
///
/// The lock of the channel's region guards all writes. `readOnlySide` is also read without the lock.
/// Therefore, each write of an address has release ordering, and such a read has acquire ordering. Under
/// the lock, relaxed ordering is enough.
///
/// The word owns one reference to the attachments, for as long as the channel exists. It also owns one
/// reference to the read-only side, until the variable is deallocated.
@usableFromInline struct Attached: ~Copyable {
  @usableFromInline let word = Atomic<UInt>(0)

  @inlinable init() {}

  deinit { attachments?.release() }

  /// The attachments, if the channel has them. The caller must hold the lock of the channel's region.
  @inlinable var attachments: Unmanaged<AnyAttachments>? {
    let word = word.load(ordering: .relaxed)
    guard word & 1 == 0, let address = UnsafeRawPointer(bitPattern: word) else { return nil }
    return .fromOpaque(address)
  }

  /// Adds the attachments, which take over the read-only side. The caller must hold the lock of the
  /// channel's region.
  ///
  /// - Precondition: The channel has no attachments.
  @usableFromInline func add(_ attachments: AnyAttachments) {
    let side = addressOfReadOnlySide
    attachments.readOnlySide.store(side, ordering: .relaxed)
    let address = UInt(bitPattern: Unmanaged.passRetained(attachments).toOpaque())
    word.store(address, ordering: .releasing)
  }

  /// The address of the read-only side, or zero. The caller must hold the lock, or a reference to the
  /// variable.
  @inlinable var addressOfReadOnlySide: UInt {
    let word = word.load(ordering: .acquiring)
    guard word & 1 == 0, let address = UnsafeRawPointer(bitPattern: word) else { return word & ~1 }
    return Unmanaged<AnyAttachments>.fromOpaque(address).use {
      $0.readOnlySide.load(ordering: .acquiring)
    }
  }

  /// Replaces the address of the read-only side. The caller must hold the lock.
  func setAddressOfReadOnlySide(_ address: UInt) {
    if let attachments {
      attachments.use { $0.readOnlySide.store(address, ordering: .releasing) }
    } else {
      word.store(address == 0 ? 0 : address | 1, ordering: .releasing)
    }
  }
}

extension AnyChannel {
  /// The channel's attachments, or `nil` if the channel has none yet. The reference is unretained, because
  /// attachments live as long as their channel. The caller must hold the lock of the channel's region.
  @inlinable final var anyAttachments: Unmanaged<AnyAttachments>? { attached.attachments }

  /// The channel's node in the graph of derived constants, if the channel has one. The caller must hold the
  /// lock of the channel's region.
  @inlinable final var downstream: Downstream? { anyAttachments?.use { $0.downstream } }

  /// Returns the read-only side of the channel's variable, and creates it on first use.
  ///
  /// The caller must hold a reference to the variable, because the variable's deinit releases the
  /// read-only side.
  ///
  /// - Parameter create: Creates the read-only side. This closure runs under the channel's lock.
  @inlinable final func readOnlySide<Side: AnyObject>(_ create: () -> Side) -> Side {
    var address = attached.addressOfReadOnlySide
    if address == 0 {
      address = addressOfReadOnlySide { UInt(bitPattern: Unmanaged.passRetained(create()).toOpaque()) }
    }
    // The address isn't zero, and belongs to a `Side`, because all calls for a channel have the same type.
    return Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: address)!).takeUnretainedValue()
  }

  @usableFromInline final func addressOfReadOnlySide(_ create: () -> UInt) -> UInt {
    // During a mutation of the variable, this thread already holds the lock.
    let isHeld = lock.isHeld(by: CurrentThread.current.id)
    if !isHeld { lock.lock() }
    defer { if !isHeld { lock.unlock() } }
    if attached.addressOfReadOnlySide == 0 { attached.setAddressOfReadOnlySide(create()) }
    return attached.addressOfReadOnlySide
  }

  /// Drops the handle of the variable, which is being deallocated, and releases the read-only side.
  @inlinable final func dropHandleOfVariable() {
    if attached.addressOfReadOnlySide != 0 { releaseReadOnlySide() }
    dropHandle()
  }

  @usableFromInline final func releaseReadOnlySide() {
    let address = lock.withLock {
      defer { attached.setAddressOfReadOnlySide(0) }
      return attached.addressOfReadOnlySide
    }
    // The deinit of the read-only side can end observations, so the side is released after unlocking.
    UnsafeRawPointer(bitPattern: address).map { Unmanaged<AnyObject>.fromOpaque($0).release() }
  }
}
