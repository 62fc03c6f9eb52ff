import Synchronization

/// A mutex that knows whether the current thread already holds it for user code.
///
/// Most threads hold the lock for a few instructions and run no user code. They leave `holder` at zero. A
/// reduce and the body of a `modify` do run user code, which may use the same lock again. Their threads store
/// their number in `holder`. So a thread that finds the lock taken can tell whether it holds the lock itself.
///
/// `holder` is stored with release ordering before each unlock, and loaded with acquire ordering after each
/// lock. That costs nothing on x86 and almost nothing elsewhere. It shows the thread sanitizer the
/// synchronization inside `Mutex`, which the sanitizer can't see. The mutex itself orders everything else,
/// so other accesses to `holder` may be relaxed. A thread finds its own number in `holder` if and only if
/// it has stored the number and hasn't unlocked since.
@usableFromInline package struct Lock: ~Copyable, Sendable {
  @usableFromInline let mutex = Mutex<Void>(())
  @usableFromInline let holder = Atomic<UInt32>(0)

  #if DEBUG
    /// A number that identifies the lock in a scenario. Unlike an address, it is never reused.
    @usableFromInline let id = nextLockID()
  #endif

  @inlinable package init() {}

  /// Waits for the lock and takes it. The current thread must not hold it.
  @inlinable func lock() {
    #if DEBUG
      reach(.lock(id))
    #endif
    // `Mutex.withLock` isn't enough: a `_modify` accessor has to yield between locking and unlocking.
    mutex._unsafeLock()
    _ = holder.load(ordering: .acquiring)
  }

  /// Takes the lock if it is free, and returns whether it was.
  func tryLock() -> Bool {
    #if DEBUG
      if scheduledThread != nil {
        guard reach(.tryLock(id)) else { return false }
        // Only a thread outside the scenario can hold the mutex now, and that thread will unlock it.
        mutex._unsafeLock()
        return true
      }
    #endif
    guard mutex._unsafeTryLock() else { return false }
    _ = holder.load(ordering: .acquiring)
    return true
  }

  /// Waits for the lock and takes it, to run user code while holding it.
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

  /// Whether a thread holds the lock for user code. The result is reliable for
  /// the current thread only; for another thread, it may be out of date.
  @inlinable var isHeldForUser: Bool { holder.load(ordering: .relaxed) != 0 }

  /// Returns whether the current thread, which has this number, holds the lock for user code.
  ///
  /// There is no race: only the thread itself stores its number, and removes it.
  @inlinable func isHeld(by thread: UInt32) -> Bool { holder.load(ordering: .relaxed) == thread }

  @inlinable package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
