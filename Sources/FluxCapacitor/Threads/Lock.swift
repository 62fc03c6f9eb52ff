import Synchronization

/// A mutex that knows whether the current thread already holds it for user code.
///
/// Most holders keep it for a few instructions and run no user code; they leave `holder` at zero. A
/// reduce and the body of a `modify` do run user code, which may come back to the same lock; they
/// store their thread's number, so that re-entering can be told from waiting for another thread.
///
/// `holder` is stored with release ordering before each unlock and loaded with acquire ordering
/// after each lock. That costs nothing on x86 and next to nothing elsewhere, and it shows the
/// thread sanitizer the synchronization inside `Mutex`, which it cannot see. The mutex itself
/// orders everything else, so other accesses to `holder` may be relaxed: a thread finds its own
/// number there if and only if it has stored it and not unlocked since.
@usableFromInline package struct Lock: ~Copyable, Sendable {
  @usableFromInline let mutex = Mutex<Void>(())
  @usableFromInline let holder = Atomic<UInt32>(0)

  #if DEBUG
    /// Identifies the lock in a scenario. Unlike an address, it is never reused.
    @usableFromInline let id = nextLockID()
  #endif

  @inlinable package init() {}

  /// Waits for the lock, which the current thread must not hold.
  @inlinable func lock() {
    #if DEBUG
      reach(.lock(id))
    #endif
    // `withLock` would not do: a `_modify` accessor has to yield between locking and unlocking.
    mutex._unsafeLock()
    _ = holder.load(ordering: .acquiring)
  }

  /// Takes the lock if it is free.
  func tryLock() -> Bool {
    #if DEBUG
      if scheduledThread != nil {
        guard reach(.tryLock(id)) else { return false }
        // Only a thread outside the scenario can hold it now, and that will unlock it.
        mutex._unsafeLock()
        return true
      }
    #endif
    guard mutex._unsafeTryLock() else { return false }
    _ = holder.load(ordering: .acquiring)
    return true
  }

  /// Waits for the lock, to run user code while holding it.
  @inlinable func lock(holder thread: UInt32) {
    lock()
    holder.store(thread, ordering: .relaxed)
  }

  @inlinable func unlock() {
    holder.store(0, ordering: .releasing)
    mutex._unsafeUnlock()
    #if DEBUG
      reach(.unlocked(id))
    #endif
  }

  /// Whether a thread holds the lock for user code. Only a hint, except about the current thread.
  @inlinable var isHeldForUser: Bool { holder.load(ordering: .relaxed) != 0 }

  /// Whether the current thread, which has this number, holds the lock for user code.
  ///
  /// There is no race: a thread's number is there only while that thread itself has put it there.
  @inlinable func isHeld(by thread: UInt32) -> Bool { holder.load(ordering: .relaxed) == thread }

  @inlinable package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
