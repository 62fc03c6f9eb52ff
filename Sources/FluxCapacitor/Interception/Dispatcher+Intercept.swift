extension Dispatcher {
  /// Calls an interceptor with an event for every dispatch from now on, of states of all types.
  ///
  /// - Every state that is dispatched later makes one event, even if it reaches no store. Of the
  ///   states that other threads are dispatching at the time of this call, the first ones may be
  ///   missed.
  /// - Events are delivered in the order of the reduces, which is the same for every interceptor,
  ///   and calls to one interceptor never overlap. Unless two threads are delivering, interceptors
  ///   are called with an event in the order in which they were added.
  /// - An event is delivered when the reduce or its ``transaction(_:)`` has ended, on the thread
  ///   that dispatches, and before any observer is called with what the reduce has changed. If
  ///   another thread is delivering events at that moment, it delivers this one too, and no thread
  ///   waits for it: an observer may then be called before the interceptor.
  /// - No lock is held during a call. The interceptor may read, write, invoke, observe and clean
  ///   anything; what it invokes is reduced immediately, and makes an event of its own.
  ///
  /// While there is an interceptor, each dispatch looks at all variables of the stores that it
  /// reaches, so it waits for any thread that is in the middle of a `modify` of one of them.
  /// Without an interceptor, it costs nothing.
  ///
  /// The variables are found by reflection, once per store. Don't intercept a store whose own
  /// `var`s are changed by other threads, however they are guarded: keep them in a separate object
  /// instead.
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
  /// - Parameter interceptor: Called with each event, and retained until the Dust is cleaned.
  /// - Returns: The interception. It lasts until its `clean()` is called or the dispatcher is
  ///   deallocated; it doesn't keep the dispatcher alive.
  public func intercept(_ interceptor: @escaping @Sendable (DispatchEvent) -> Void) -> Dust {
    // Only the hook retains the sink, so the interceptor is released with the dispatcher.
    let sink = Sink<DispatchEvent>()
    let dust = sink.channel.observe(on: .current, interceptor)
    let hook = addHook(wantingChanges: true) { sink.channel.sendInFront($0, on: .current) }
    return Interception(of: dust, by: hook)
  }
}

/// The Dust of an interception, which each thread that cleans it ends: not only the first of them.
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
