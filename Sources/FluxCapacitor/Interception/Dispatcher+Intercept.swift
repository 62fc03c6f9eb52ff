extension Dispatcher {
  /// Calls an interceptor with an event for every later dispatch, for states of all types.
  ///
  /// Use an interceptor to log, measure or record what an application does:
  ///
  /// ```swift
  /// let dust = Dispatcher.shared.intercept(changes: false) { event in
  ///   print("\(type(of: event.state)) took \(event.duration)")
  /// }
  /// ```
  ///
  /// - Every later state makes one event, even if it reaches no store. If other threads are dispatching during this call,
  ///   the interceptor can miss their first states.
  /// - Every interceptor receives the events in the order of the reduces, and calls to one interceptor never overlap.
  ///   Several interceptors receive an event in the order in which they were added, unless two threads are delivering
  ///   events.
  /// - After the reduce or, inside a ``transaction(_:)``, after the transaction, the dispatching thread calls all
  ///   interceptors, and then the observers of the changes. If another thread is already delivering events to an
  ///   interceptor, that thread also delivers the new event, and observers can be called before the interceptor.
  /// - No lock is held during a call. An interceptor can read, write, invoke, observe and clean anything. A state that it
  ///   invokes is reduced immediately, and makes its own event.
  ///
  /// If an interceptor receives changes, each dispatch reads all variables of the stores that the state reaches, and waits
  /// while another thread is in a `modify` of such a variable. An interceptor without changes costs only its call, however
  /// large the stores are, which suits metrics and logs in production:
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
  /// A dispatch without interceptors has no extra cost.
  ///
  /// The dispatcher finds the variables by reflection, once for each store. If a store has optionals, enums or collections,
  /// which can contain other variables later, each dispatch repeats the reflection.
  ///
  /// > Warning: Don't intercept changes of a store whose `var` properties other threads change, even if a lock guards them:
  /// reflection reads them without the lock. Keep such properties in a separate object.
  ///
  /// - Parameters:
  ///   - changes: Whether the events contain the changes to the stores' variables.
  ///   - interceptor: Receives each event. The interception retains this closure until the Dust is cleaned or the
  ///     dispatcher is deallocated.
  /// - Returns: A Dust that ends the interception when you clean it. It doesn't keep the dispatcher alive, and the
  ///   interception also ends when the dispatcher is deallocated.
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
