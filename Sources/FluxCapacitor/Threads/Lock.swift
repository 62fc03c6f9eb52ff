import Synchronization

/// A mutex that can tell a thread that it holds the lock already.
///
/// Two kinds of holders take it. Most hold it for a few instructions and run no code of the user's;
/// they leave `holder` at zero. A reduce and the body of a `modify` do run code of the user's, which
/// may come back to the same lock; they leave the number of their thread, so that the way back can
/// be told from a wait for another thread.
///
/// `holder` is written with release before each unlock and read with acquire after each lock. That
/// costs nothing on x86 and next to nothing elsewhere, and it shows the thread sanitizer the
/// hand-over that happens inside `Mutex`, which it cannot see. The mutex itself orders all else, so that
/// `holder` may be relaxed otherwise: a thread finds its own number there if and only if it has put it there.
@usableFromInline
package struct Lock: ~Copyable, Sendable {
  @usableFromInline let mutex = Mutex<Void>(())
  @usableFromInline let holder = Atomic<UInt32>(0)

  #if DEBUG
    /// What a scenario knows it by: unlike an address, no other lock ever has it.
    @usableFromInline let id = nextLockID()
  #endif

  @inlinable
  package init() {}

  /// Waits for the lock. The thread must not hold it.
  @inlinable
  func lock() {
    #if DEBUG
      reach(.lock(id))
    #endif
    // The locking calls of `Mutex` that take no closure: a `_modify` accessor has to yield in between.
    mutex._unsafeLock()
    _ = holder.load(ordering: .acquiring)
  }

  /// Takes the lock if nobody has it.
  @inlinable
  func tryLock() -> Bool {
    #if DEBUG
      if isScheduled {
        guard reach(.tryLock(id)) else { return false }
        // Whoever has it is none of the scheduled threads, and will open it.
        mutex._unsafeLock()
        return true
      }
    #endif
    guard mutex._unsafeTryLock() else { return false }
    _ = holder.load(ordering: .acquiring)
    return true
  }

  /// Waits for the lock, to run code of the user's under it.
  @inlinable
  func lock(holder thread: UInt32) {
    lock()
    holder.store(thread, ordering: .relaxed)
  }

  @inlinable
  func unlock() {
    holder.store(0, ordering: .releasing)
    mutex._unsafeUnlock()
    #if DEBUG
      reach(.unlocked(id))
    #endif
  }

  /// Whether somebody runs code of the user's under the lock; a hint, but for one's own thread.
  @inlinable
  var isHeldForUser: Bool {
    holder.load(ordering: .relaxed) != 0
  }

  /// Whether this very thread runs code of the user's under the lock.
  ///
  /// No race: a thread's own number is there only while that thread has put it there.
  @inlinable
  func isHeld(by thread: UInt32) -> Bool {
    holder.load(ordering: .relaxed) == thread
  }

  @inlinable
  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
