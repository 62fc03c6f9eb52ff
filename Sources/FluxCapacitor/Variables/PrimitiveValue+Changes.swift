extension PrimitiveValue {
  /// Calls a closure with the old value and the new value of every change.
  ///
  /// ```swift
  /// let counter = Variable(1)
  /// let dust = counter.observeChanges { old, new in print("\(old) → \(new)") }
  /// counter.value = 3  // 1 → 3
  /// dust.clean()
  /// ```
  ///
  /// - The closure is not called with the current value. It receives each change once, in the order of the writes. The old
  ///   value is the one that was delivered before. For the first change, it is the current value at the time of the
  ///   `observeChanges` call.
  /// - A reduce, a ``Dispatcher/transaction(_:)`` or a `modify` counts as one change, from the value before its first write
  ///   to its last value.
  /// - Calls to one observer never overlap. No lock is held during a call. See <doc:Promises> for threads and order.
  ///
  /// > Note: The observation keeps the last delivered value, as the old value of the next change. So while it lasts,
  /// changing an array in place copies the array.
  ///
  /// - Parameters:
  ///   - queue: The queue on which `changes` is called.
  ///   - changes: Receives the old and the new value. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation. It lasts until you clean it, or until the variable and all its constants are deallocated.
  ///   It keeps neither the variable nor its store alive. An observation of a derived constant keeps the constant's
  ///   variables alive, so it lasts until you clean it.
  /// - Complexity: O(1). For a derived constant without observers, O(k · n) if it derives from k variables through n
  ///   constants.
  @_disfavoredOverload public func observeChanges(
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (_ old: Element, _ new: Element) -> Void
  ) -> Dust {
    // No lock guards `previous`, because calls to one observer never overlap. Each call sees the effects
    // of the previous call.
    nonisolated(unsafe) var previous: Element?
    return observe(on: queue) { new in
      let old = previous
      previous = new
      if let old { changes(old, new) }
    }
  }

  /// Calls a closure on the main actor with the old value and the new value of every change.
  ///
  /// The closure is isolated to the main actor. If a change is made on the main queue and no earlier change is still
  /// waiting, the closure is called immediately. See <doc:Promises> for order, re-entrancy and the other guarantees.
  ///
  /// - Parameters:
  ///   - queue: The main queue, `.main`.
  ///   - changes: Receives the old and the new value. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation. It lasts until you clean it, or until the variable and all its constants are deallocated.
  ///   It keeps neither the variable nor its store alive. An observation of a derived constant keeps the constant's
  ///   variables alive, so it lasts until you clean it.
  /// - Complexity: O(1). For a derived constant without observers, O(k · n) if it derives from k variables through n
  ///   constants.
  public func observeChanges(
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (_ old: Element, _ new: Element) -> Void
  ) -> Dust {
    observeChanges(on: ExecuteQueue.main) { old, new in
      MainActor.assumeIsolated { changes(old, new) }
    }
  }
}
