extension PrimitiveValue {
  /// Calls a closure with every change, together with the value before it.
  ///
  /// - Every change is delivered once, in the order of the writes, together with the value that was
  ///   delivered before it; the first change together with the value at the time of this call. A
  ///   reduce, a ``Dispatcher/transaction(_:)`` or a `modify` counts as one change, from the value
  ///   before it to the last one in it.
  /// - Nothing is delivered at the time of this call.
  /// - Calls to one observer never overlap, and no lock is held during one, as for
  ///   ``observe(on:ignoreFirst:changes:)-(ExecuteQueue,_,_)``.
  ///
  /// ```swift
  /// let counter = Variable(1)
  /// let dust = counter.observeChanges { old, new in print("\(old) → \(new)") }
  /// counter.value = 3  // 1 → 3
  /// dust.clean()
  /// ```
  ///
  /// The value that was delivered last is kept for the next change. So changing an array in place
  /// copies it while there is such an observer.
  ///
  /// - Parameters:
  ///   - queue: Where `changes` is called.
  ///   - changes: Called with the old and the new value, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called or the value is
  ///   deallocated; it keeps neither the variable nor its store alive.
  /// - Complexity: O(1).
  @_disfavoredOverload public func observeChanges(
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (_ old: Element, _ new: Element) -> Void
  ) -> Dust {
    // Nothing guards it, because calls to one observer never overlap, and each sees what the one
    // before it has done.
    nonisolated(unsafe) var previous: Element?
    return observe(on: queue) { new in
      let old = previous
      previous = new
      if let old { changes(old, new) }
    }
  }

  /// Calls a closure on the main actor with every change, together with the value before it.
  ///
  /// It is the same as the other `observeChanges`, with a closure that is isolated to the main
  /// actor.
  ///
  /// - Parameters:
  ///   - queue: `.main`.
  ///   - changes: Called with the old and the new value, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called or the value is
  ///   deallocated; it keeps neither the variable nor its store alive.
  /// - Complexity: O(1).
  public func observeChanges(
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (_ old: Element, _ new: Element) -> Void
  ) -> Dust {
    observeChanges(on: ExecuteQueue.main) { old, new in
      MainActor.assumeIsolated { changes(old, new) }
    }
  }
}
