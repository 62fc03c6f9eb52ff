extension Dispatcher {
  /// Calls an interceptor with an event for every later dispatch, for states of all types.
  ///
  /// - Every later state makes one event, even if the state reaches no store. If other threads are
  ///   dispatching during this call, the interceptor can miss their first states.
  /// - Every interceptor receives the events in the order of the reduces. Calls to one interceptor never
  ///   overlap.
  /// - Several interceptors receive an event in the order in which they were added, unless two threads are
  ///   delivering events.
  /// - The dispatching thread calls the interceptor after the reduce or, inside a ``transaction(_:)``, after
  ///   the transaction. The dispatching thread calls all interceptors before it calls an observer of the
  ///   changes.
  /// - If another thread is already delivering events to an interceptor, that thread also delivers the new event. While
  ///   another thread delivers events, observers can be called before the interceptor.
  /// - No lock is held during a call. The interceptor can read, write, invoke, observe and clean anything.
  ///   If the interceptor invokes a state, the stores reduce the state immediately. A state that an
  ///   interceptor invokes makes a separate event.
  ///
  /// If an interceptor receives changes, each dispatch reads all variables of the stores that the state
  /// reaches. The dispatch waits if another thread is in a `modify` of such a variable. An interceptor without changes
  /// costs only its call, however large the stores are, which suits metrics and logs in production:
  ///
  /// ```swift
  /// let dust = Dispatcher.shared.intercept(changes: false) { event in
  ///   print("\(type(of: event.state)) took \(event.duration)")
  /// }
  /// ```
  ///
  /// Without interceptors, a dispatch has no extra cost.
  ///
  /// The dispatcher finds the variables by reflection, once for each store. If the store has optionals,
  /// enums or collections, which can contain other variables later, each dispatch repeats the reflection.
  ///
  /// > Warning: Don't intercept a store whose `var` properties other threads change, even if a lock guards
  /// the properties. Reflection reads the properties without the lock. Keep the properties in a separate
  /// object instead.
  ///
  /// ```swift
  /// let dust = Dispatcher.shared.intercept { event in
  ///   print("\(event.sequenceNumber): \(event.state)")
  ///   for change in event.changes {
  ///     print("  \(change.name): \(change.oldValue) → \(change.newValue)")
  ///   }
  /// }
  /// CounterAction().increment()
  /// dust.clean()
  /// ```
  ///
  /// - Parameters:
  ///   - changes: Whether the events contain the changes to the stores' variables.
  ///   - interceptor: A closure that receives each event. The interception retains the closure until the Dust is
  ///     cleaned or the dispatcher is deallocated.
  /// - Returns: A Dust that ends the interception when you call `clean()`. The Dust doesn't keep the
  ///   dispatcher alive, and the interception ends when the dispatcher is deallocated.
  public func intercept(
    changes: Bool = true,
    _ interceptor: @escaping @Sendable (DispatchEvent) -> Void
  ) -> Dust {
    // Only the hook retains the sink, so the dispatcher's deallocation also releases the interceptor. Only the
    // observation retains the bag, so the end of the observation removes the hook.
    let sink = Sink<DispatchEvent>()
    let bag = DustBuster()
    let dust = sink.channel.observe(on: .current, in: .weakCurrent) { event in
      withExtendedLifetime(bag) { interceptor(event) }
    }
    addHook(receiving: changes ? .changes : .sequenceNumber) {
      sink.channel.sendInFront($0, on: currentThread())
    }.cleaned(by: bag)
    return dust
  }
}
