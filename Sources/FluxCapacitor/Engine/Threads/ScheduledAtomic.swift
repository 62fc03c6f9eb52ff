import Synchronization

/// An atomic value that lets a test's scheduler switch threads at each `read` and `write`.
///
/// `everyInterleaving` in FluxCapacitorTesting provides the scheduler. In release builds, this type
/// contains only the atomic value.
@usableFromInline package struct ScheduledAtomic<Value: AtomicRepresentable>: ~Copyable {
  /// The atomic value, for accesses that no decision depends on.
  @usableFromInline let unscheduled: Atomic<Value>

  #if DEBUG
    /// A number that identifies the atomic value in a scenario.
    @usableFromInline let id = nextLockID()
  #endif

  @inlinable package init(_ value: consuming Value) { unscheduled = Atomic(value) }

  /// Performs an access that only reads the atomic value.
  @inlinable @inline(__always)
  func read<Result>(_ access: (borrowing Atomic<Value>) -> Result) -> Result {
    #if DEBUG
      reach(.read(id))
    #endif
    return access(unscheduled)
  }

  /// Performs an access that writes the atomic value.
  @inlinable @inline(__always)
  func write<Result>(_ access: (borrowing Atomic<Value>) -> Result) -> Result {
    #if DEBUG
      reach(.write(id))
    #endif
    return access(unscheduled)
  }
}
