// What tests and their scheduler read and set on a thread.

#if DEBUG
  /// The number of locks that the current thread holds: those under which no user code runs, and those under which a
  /// reduce, a mutation or another closure of the user runs. No value may be released under the former.
  package var heldLocks: (engine: Int, user: Int) {
    let thread = currentThread()
    return (thread.pointee.heldEngineLocks, thread.pointee.heldUserLocks)
  }

  /// Lets the current thread offer its next delivery to other threads after a number of their changes.
  package func offerDelivery(afterChanges count: Int) {
    currentThread().pointee.handoverPressure = 257 - Int32(count)
  }

  /// The address of the last number that a lock of the current schedule has received, on each thread that runs the
  /// schedule. Only one of these threads runs at a time.
  package var lastScheduledLockID: UnsafeMutablePointer<UInt>? {
    get { currentThread().pointee.lastLockID }
    set { currentThread().pointee.lastLockID = newValue }
  }
#endif
