/// Delivers the events that a ``Sink`` sends. An observer receives only events that are sent after it has subscribed.
///
/// ```swift
/// let sink = Sink<Int>()
/// let signal = sink.signal
///   .filter { $0 > 0 }
///   .map { "\($0) new messages" }
/// let dust = signal.observe { print($0) }
/// sink.send(0)
/// sink.send(2)  // 2 new messages
/// dust.clean()
/// ```
public struct Signal<Event: Sendable>: Sendable {
  let subscribe: @Sendable (ExecuteQueue, @escaping @Sendable (Event) -> Void) -> Dust

  /// Calls a closure with every event that is sent after this call.
  ///
  /// - The closure receives each event once, in the order of sending, and calls to one observer never overlap.
  /// - No lock is held during a call. The closure may send, read, write, invoke, observe and clean anything.
  ///
  /// <doc:Promises> describes the threads, the order of the calls, and the calls that wait.
  ///
  /// - Parameters:
  ///   - queue: The queue on which `changes` is called.
  ///   - ignoreFirst: Has no effect, because a signal has no current value.
  ///   - changes: Receives each event. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation, which lasts until you clean the Dust, or until the sink and all its signals are released.
  ///   It keeps neither the sink nor a signal alive.
  /// - Complexity: O(1).
  @_disfavoredOverload public func observe(
    on queue: ExecuteQueue = .current,
    ignoreFirst: Bool = false,
    changes: @escaping @Sendable (Event) -> Void
  ) -> Dust {
    subscribe(queue, changes)
  }

  /// Calls a closure on the main actor with every event that is sent after this call.
  ///
  /// If an event is sent on the main queue, the closure is called immediately, unless an earlier event is still on its way
  /// to the main queue. <doc:Promises> describes the order of the calls, re-entrancy and the other guarantees.
  ///
  /// - Parameters:
  ///   - queue: `.main`.
  ///   - changes: Receives each event. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation, which lasts until you clean the Dust, or until the sink and all its signals are released.
  ///   It keeps neither the sink nor a signal alive.
  /// - Complexity: O(1).
  public func observe(
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (Event) -> Void
  ) -> Dust {
    observe(on: ExecuteQueue.main) { event in
      MainActor.assumeIsolated { changes(event) }
    }
  }

  /// Returns a signal of this signal's events, each transformed by a closure.
  ///
  /// - Parameter transform: Called once for each event and observer, on the thread that calls the observer.
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Event) -> Result
  ) -> Signal<Result> {
    Signal<Result> { [subscribe] queue, changes in
      subscribe(queue) { changes(transform($0)) }
    }
  }

  /// Returns a signal of the events that satisfy a predicate.
  ///
  /// - Parameter isIncluded: Called once for each event and observer, on the thread that calls the observer.
  public func filter(_ isIncluded: @escaping @Sendable (Event) -> Bool) -> Signal<Event> {
    Signal { [subscribe] queue, changes in
      subscribe(queue) { if isIncluded($0) { changes($0) } }
    }
  }
}

extension Signal {
  /// Creates a signal of the events that a sink sends.
  public init(_ sink: Sink<Event>) {
    // The closure retains the sink, because the channel closes when the sink is deallocated.
    self.init { queue, changes in sink.channel.observe(on: queue, changes) }
  }
}
