extension Dispatcher {
  /// Calls an interceptor with an event for every dispatch from now on, for states of all types.
  ///
  /// - Every state that is dispatched later makes one event, even if it reaches no store. If other threads
  ///   are dispatching at the time of this call, the interceptor may miss their first states.
  /// - Every interceptor receives the events in the order of the reduces. Calls to one interceptor never
  ///   overlap. The interceptors receive an event in the order in which they were added, unless two threads
  ///   are delivering.
  /// - The dispatching thread calls the interceptor after the reduce or its ``transaction(_:)``, before it
  ///   calls any observer with the changes of the reduce. If another thread is delivering events at that
  ///   moment, it delivers this event too. Observers don't wait for that thread, and may be called before
  ///   the interceptor.
  /// - No lock is held during a call. The interceptor may read, write, invoke, observe and clean anything.
  ///   A state that it invokes is reduced immediately, and makes an event of its own.
  ///
  /// While a dispatcher has an interceptor, each dispatch reads all variables of the stores that it
  /// reaches. So it waits for any thread that is in the middle of a `modify` of one of them. Without
  /// interceptors, a dispatch has no extra cost.
  ///
  /// The dispatcher finds the variables by reflection, once per store. If a store has properties that can
  /// contain other variables later, such as optionals, enums and collections, each dispatch repeats the
  /// search.
  ///
  /// Don't intercept a store if other threads change its own `var`s, even if a lock guards them. Keep these
  /// properties in a separate object instead.
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
  /// - Parameter interceptor: A closure that receives each event. It is retained until the Dust is cleaned.
  /// - Returns: The interception. It lasts until you call `clean()` or the dispatcher is deallocated. It
  ///   doesn't keep the dispatcher alive.
  public func intercept(_ interceptor: @escaping @Sendable (DispatchEvent) -> Void) -> Dust {
    // Only the hook retains the sink, so the interceptor is released with the dispatcher.
    let sink = Sink<DispatchEvent>()
    let dust = sink.channel.observe(on: .current, interceptor)
    let hook = addHook(wantingChanges: true) { sink.channel.sendInFront($0, on: .current) }
    return Interception(of: dust, by: hook)
  }
}

/// The Dust of an interception.
///
/// Each thread that cleans it ends the interception, not only the first one.
private final class Interception: Dust, @unchecked Sendable {
  private let observation: Dust
  private let hook: Dust

  init(of observation: Dust, by hook: Dust) {
    self.observation = observation
    self.hook = hook
    super.init { $0.finishCleaning() }
  }

  override func finishCleaning() {
    hook.clean()
    observation.clean()
  }
}
