import Synchronization

/// An atomic that threads decide by, so that a scheduler may let another thread go first at each
/// access. See `everyInterleaving` in FluxCapacitorTesting.
///
/// Release builds contain nothing but the atomic.
@usableFromInline package struct ScheduledAtomic<Value: AtomicRepresentable>: ~Copyable {
  /// For accesses that no decision depends on.
  @usableFromInline let unscheduled: Atomic<Value>

  #if DEBUG
    /// Identifies the atomic in a scenario, as a lock's number does.
    @usableFromInline let id = nextLockID()
  #endif

  @inlinable package init(_ value: consuming Value) { unscheduled = Atomic(value) }

  /// An access that only reads.
  @inlinable @inline(__always)
  func read<Result>(_ access: (borrowing Atomic<Value>) -> Result) -> Result {
    #if DEBUG
      reach(.read(id))
    #endif
    return access(unscheduled)
  }

  /// An access that writes.
  @inlinable @inline(__always)
  func write<Result>(_ access: (borrowing Atomic<Value>) -> Result) -> Result {
    #if DEBUG
      reach(.write(id))
    #endif
    return access(unscheduled)
  }
}
