import Synchronization

/// A mutex that can tell whether the current thread already holds the mutex to run user code.
///
/// Most threads hold the lock for a few instructions, run no user code, and leave `holder` at zero. A
/// reduce and the body of a `modify` run user code, which might use the same lock again. A thread that
/// takes the lock to run user code stores its own number in `holder`. The same thread can later detect
/// that it already holds the lock.
///
/// Each unlock first stores `holder` with release ordering, and each lock then loads `holder` with
/// acquire ordering. The release store and the acquire load cost nothing on x86 and almost nothing on
/// other processors. The store and the load make the synchronization inside `Mutex` visible to the thread
/// sanitizer.
///
/// All other accesses to `holder` may be relaxed, because the mutex itself orders all other memory
/// accesses. A thread finds its own number in `holder` only after storing the number and before
/// unlocking.
@usableFromInline package struct Lock: ~Copyable, Sendable {
  @usableFromInline let mutex = Mutex<Void>(())
  @usableFromInline let holder = Atomic<UInt32>(0)

  #if DEBUG
    /// A number that identifies the lock in a scenario. Unlike an address, this number is never reused.
    @usableFromInline let id: UInt
  #endif

  /// - Parameter isOfProcess: Whether all scenarios of the process share the lock, whichever of them creates it.
  @inlinable package init(isOfProcess: Bool = false) {
    #if DEBUG
      id = nextLockID(isOfProcess: isOfProcess)
    #endif
  }

  /// Acquires the lock, after waiting if necessary. The current thread must not already hold the lock.
  @inlinable func lock() {
    #if DEBUG
      reach(.lock(id))
    #endif
    // `Mutex.withLock` can't be used here, because `_modify` accessors yield between locking and
    // unlocking.
    mutex._unsafeLock()
    _ = holder.load(ordering: .acquiring)
    #if DEBUG
      currentThread().pointee.heldEngineLocks += 1
    #endif
  }

  /// Acquires the lock if the lock is free, and returns whether the attempt has succeeded.
  func tryLock() -> Bool {
    #if DEBUG
      guard reach(.tryLock(id)) else { return false }
      // If another thread holds the mutex now, that thread is outside the scenario and will unlock the mutex.
      if scheduledThread != nil { mutex._unsafeLock() }
      if scheduledThread == nil, !mutex._unsafeTryLock() { return false }
      currentThread().pointee.heldEngineLocks += 1
    #else
      guard mutex._unsafeTryLock() else { return false }
    #endif
    _ = holder.load(ordering: .acquiring)
    return true
  }

  /// Runs a closure under the lock, without a point at which a test's scheduler can switch threads.
  ///
  /// A thread can use such a lock before the thread has a state, and while a scheduled lock is held.
  package func withUnscheduledLock<Result>(_ body: () -> Result) -> Result {
    mutex._unsafeLock()
    _ = holder.load(ordering: .acquiring)
    defer {
      holder.store(0, ordering: .releasing)
      mutex._unsafeUnlock()
    }
    return body()
  }

  /// Acquires the lock to run user code under it, and records the current thread's number in `holder`.
  @inlinable func lock(holder thread: UInt32) {
    lock()
    holder.store(thread, ordering: .relaxed)
    #if DEBUG
      currentThread().pointee.heldEngineLocks -= 1
      currentThread().pointee.heldUserLocks += 1
    #endif
  }

  @inlinable func unlock() {
    #if DEBUG
      if holder.load(ordering: .relaxed) == 0 {
        currentThread().pointee.heldEngineLocks -= 1
      } else {
        currentThread().pointee.heldUserLocks -= 1
      }
    #endif
    holder.store(0, ordering: .releasing)
    mutex._unsafeUnlock()
    #if DEBUG
      reach(.unlocked(id))
    #endif
  }

  /// Whether the current thread holds the lock to run user code.
  ///
  /// This check can't race, because only the current thread stores and removes its own number. Usually no number is
  /// stored, and so the current thread need not look up its own.
  @inlinable var isHeldByCurrentThread: Bool {
    let holder = holder.load(ordering: .relaxed)
    return holder != 0 && holder == currentThread().pointee.id
  }

  @inlinable package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}

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
