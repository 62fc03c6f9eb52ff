extension PrimitiveValue {
  /// Calls a closure with every change, together with the value before it.
  ///
  /// - The closure receives each change once, in the order of the writes. The old value is the
  ///   value that was delivered before. For the first change, it is the value at the time of this
  ///   call.
  /// - A reduce, a ``Dispatcher/transaction(_:)`` or a `modify` counts as one change, from the
  ///   value before it to its last value.
  /// - The closure isn't called with the current value.
  /// - Calls to one observer never overlap, and no lock is held during a call. See
  ///   <doc:Concurrency> for threads and order.
  ///
  /// ```swift
  /// let counter = Variable(1)
  /// let dust = counter.observeChanges { old, new in print("\(old) → \(new)") }
  /// counter.value = 3  // 1 → 3
  /// dust.clean()
  /// ```
  ///
  /// The observation keeps the last delivered value for the next change. So while it lasts,
  /// changing an array in place copies the array.
  ///
  /// - Parameters:
  ///   - queue: Where `changes` is called.
  ///   - changes: Called with the old and the new value, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called or the value is
  ///   deallocated. It keeps neither the variable nor its store alive. An observation of a derived
  ///   constant keeps the variables upstream alive, and so lasts until its `clean()`.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
  @_disfavoredOverload public func observeChanges(
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (_ old: Element, _ new: Element) -> Void
  ) -> Dust {
    // No lock guards it. Calls to one observer never overlap, and each call sees the effects of the
    // one before.
    nonisolated(unsafe) var previous: Element?
    return observe(on: queue) { new in
      let old = previous
      previous = new
      if let old { changes(old, new) }
    }
  }

  /// Calls a closure on the main actor with every change, together with the value before it.
  ///
  /// The closure is isolated to the main actor. If a change is made on the main queue, and no
  /// earlier one is still on its way there, the closure is called immediately. See
  /// <doc:Concurrency> for order, re-entrancy and the other guarantees.
  ///
  /// - Parameters:
  ///   - queue: `.main`.
  ///   - changes: Called with the old and the new value, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called or the value is
  ///   deallocated. It keeps neither the variable nor its store alive. An observation of a derived
  ///   constant keeps the variables upstream alive, and so lasts until its `clean()`.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
  public func observeChanges(
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (_ old: Element, _ new: Element) -> Void
  ) -> Dust {
    observeChanges(on: ExecuteQueue.main) { old, new in
      MainActor.assumeIsolated { changes(old, new) }
    }
  }
}
