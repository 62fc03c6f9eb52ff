import Synchronization

/// An atomic that decisions depend on, and at which a scheduler may let another thread go first.
///
/// See `everyInterleaving` in FluxCapacitorTesting. Release builds contain nothing but the atomic.
@usableFromInline package struct ScheduledAtomic<Value: AtomicRepresentable>: ~Copyable {
  /// The atomic, for accesses that no decision depends on.
  @usableFromInline let unscheduled: Atomic<Value>

  #if DEBUG
    /// A number that identifies the atomic in a scenario, like the number of a lock.
    @usableFromInline let id = nextLockID()
  #endif

  @inlinable package init(_ value: consuming Value) { unscheduled = Atomic(value) }

  /// Performs an access that only reads.
  @inlinable @inline(__always)
  func read<Result>(_ access: (borrowing Atomic<Value>) -> Result) -> Result {
    #if DEBUG
      reach(.read(id))
    #endif
    return access(unscheduled)
  }

  /// Performs an access that writes.
  @inlinable @inline(__always)
  func write<Result>(_ access: (borrowing Atomic<Value>) -> Result) -> Result {
    #if DEBUG
      reach(.write(id))
    #endif
    return access(unscheduled)
  }
}
