extension Dispatcher {
  /// Tells an interceptor of every dispatch, of states of all types, from now on.
  ///
  /// - Every state that is dispatched later is told, once, also one that reaches no store. Of those that
  ///   other threads are dispatching just now, the first ones may be missed.
  /// - Events come in the order of the reduces, the same for every interceptor, and calls to one
  ///   interceptor never overlap.
  /// - An event is told when the reduce or its ``transaction(_:)`` has ended, on the thread that
  ///   dispatches, and before any observer is called with what the reduce has changed. If another thread
  ///   is telling events just then, that one tells it, and nobody waits: so an observer may be called
  ///   before.
  /// - No lock is held during a call. It may read, write, invoke, observe and clean anything; what it
  ///   invokes is reduced at once, and is an event of its own.
  ///
  /// While there is an interceptor, a dispatch looks at all variables of the stores that it reaches, so it
  /// waits for whoever is in the midst of a `modify` of one of them. Without any, it costs nothing.
  ///
  /// The variables are found by reflection, once a store. It is a mistake to intercept stores whose own
  /// `var`s other threads change, in whatever way they are guarded: such a store keeps them in an object.
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
  /// - Parameter interceptor: Called with each event. It is kept until the Dust is cleaned.
  /// - Returns: What ends it. It goes on until its `clean()`, or until the dispatcher is gone; it does
  ///   not keep the dispatcher alive.
  public func intercept(_ interceptor: @escaping @Sendable (DispatchEvent) -> Void) -> Dust {
    // The sink goes with the witness, and so with the dispatcher; with it goes the interceptor.
    let sink = Sink<DispatchEvent>()
    let dust = sink.channel.observe(on: .current, interceptor)
    let attending = add(
      Witness(ofChanges: true) { sink.channel.sendInFront($0, on: .current) }
    )
    return ActionDust {
      attending.clean()
      dust.clean()
    }
  }
}
