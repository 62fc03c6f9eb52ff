#if canImport(Dispatch)
  import Dispatch
#endif

// A change in place, such as `x.value += 1`, must contain no `await`, but the compiler accepts `await load(&x.value)`.

extension Channel {
  @inlinable final func beginChangeInPlace() -> CurrentThread {
    let thread = beginMutation()
    if thread.pointee.isMainUnwatched { thread.watchMainQueue() }
    return thread
  }

  /// Traps if an asynchronous function has moved to another thread while it changes the value in place.
  @inlinable final func trapIfSuspended() {
    // This check compares thread numbers, because a thread that ends inside a mutation keeps its number. The
    // thread's state is freed, so a later thread can get the same address.
    if !lock.isHeldByCurrentThread { trapInSuspendedMutation(of: description) }
  }
}

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Lets the main queue check whether this thread's change in place has been suspended by an `await`.
  ///
  /// The main queue runs no block while a function on it changes a value. So a change that is in progress when a
  /// later block runs belongs to an asynchronous function that is suspended. One check for all changes
  /// until this later block is enough.
  @usableFromInline func watchMainQueue() {
    pointee.isMainUnwatched = false
    DispatchQueue.main.async {
      let thread = currentThread()
      if thread.pointee.openMutations > 0 { trapInSuspendedMutation(of: "A variable") }
      thread.pointee.isMainUnwatched = true
    }
  }
}

@usableFromInline func trapInSuspendedMutation(of name: String) -> Never {
  trap(
    "\(name) was mutated in place across an `await`, while its lock was held.",
    "Let the asynchronous function return the new value, and write it afterward."
  )
}
