extension ObservationSource {
  /// Calls a closure with the current value, if there is one, and then with every change or event, while an object exists.
  ///
  /// ```swift
  /// final class Exporter: Sendable {
  ///   init(counter: Constant<Int>) {
  ///     counter.observe(duringScopeOf: self) { print("The counter stands at \($0).") }
  ///   }
  /// }
  /// ```
  ///
  /// <doc:Promises> describes the threads, the order of the calls, and the calls that wait.
  ///
  /// > Warning: Don't capture the object strongly in the closure. The closure would keep the object alive, so the
  /// observation wouldn't end by itself.
  ///
  /// - Parameters:
  ///   - object: The object, which the observation holds weakly. After the object's deallocation, no call starts. The next
  ///     change, or a later observation of an object, ends the observation and releases the closure.
  ///   - queue: The queue on which `changes` is called.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change. A signal has no current value.
  ///   - changes: The closure to call with each value or event.
  /// - Returns: The observation. To end it before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, O(k · n) if it derives from k variables through n
  ///   constants.
  @_disfavoredOverload @discardableResult public func observe(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue = .current,
    ignoreFirst: Bool = false,
    changes: @escaping @Sendable (Element) -> Void
  ) -> Dust {
    observe(
      untilDeallocationOf: object,
      isOfMainActor: false,
      on: queue,
      ignoreFirst: ignoreFirst,
      changes
    )
  }

  /// Calls a closure on the main actor with each value or event, while a `Sendable` object exists.
  ///
  /// See ``observe(duringScopeOf:on:ignoreFirst:changes:)-(_,ExecuteQueue,_,_)`` for the lifetime. Don't capture the object
  /// strongly in the closure.
  @discardableResult public func observe(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue.Main,
    ignoreFirst: Bool = false,
    changes: @escaping @MainActor @Sendable (Element) -> Void
  ) -> Dust {
    observe(duringScopeOf: object, on: ExecuteQueue.main, ignoreFirst: ignoreFirst) { value in
      MainActor.assumeIsolated { changes(value) }
    }
  }

  /// Calls a closure on the main actor with each value or event, while an object of the main actor, such as a view, exists.
  ///
  /// See ``observe(duringScopeOf:on:ignoreFirst:changes:)-(_,ExecuteQueue,_,_)`` for the lifetime. Don't capture the object
  /// strongly in the closure.
  @MainActor @discardableResult public func observe(
    duringScopeOf object: some AnyObject,
    on queue: ExecuteQueue.Main,
    ignoreFirst: Bool = false,
    changes: @escaping @MainActor @Sendable (Element) -> Void
  ) -> Dust {
    observe(
      untilDeallocationOf: object,
      isOfMainActor: true,
      on: .main,
      ignoreFirst: ignoreFirst
    ) { value in
      MainActor.assumeIsolated { changes(value) }
    }
  }

  /// Calls a closure while an object exists. If a call finds that the object is deallocated, the call ends the
  /// observation.
  ///
  /// The observation and the bag retain each other. Ending the observation releases the closure, which breaks
  /// this cycle.
  private func observe(
    untilDeallocationOf object: AnyObject,
    isOfMainActor: Bool,
    on queue: ExecuteQueue,
    ignoreFirst: Bool,
    _ changes: @escaping @Sendable (Element) -> Void
  ) -> Dust {
    let bag = DustBuster()
    // Only the weak reference is shared, so any thread may use it. The observer's queue uses the object itself.
    nonisolated(unsafe) weak let target = object
    let dust = observe(on: queue, ignoreFirst: ignoreFirst) { value in
      guard let target else { return bag.clean() }
      withExtendedLifetime(target) { changes(value) }
    }
    // The object exists until the bag contains the Dust, so every call that finds no object finds the Dust.
    withExtendedLifetime(object) { dust.cleaned(by: bag) }
    ScopedObservation(dust, of: object).add(isOfMainActor: isOfMainActor)
    return dust
  }
}
