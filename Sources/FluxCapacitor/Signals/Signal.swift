/// The observable side of a ``Sink``.
///
/// An observer receives the events that are sent after it subscribes.
///
/// ```swift
/// let sink = Sink<Int>()
/// let signal = Signal(sink)
///   .filter { $0 > 0 }
///   .map { "\($0) new messages" }
/// let dust = signal.observe { print($0) }
/// sink.send(0)
/// sink.send(2)  // 2 new messages
/// dust.clean()
/// ```
public struct Signal<Event: Sendable>: Sendable {
  private let subscribe: @Sendable (ExecuteQueue, @escaping @Sendable (Event) -> Void) -> Dust

  /// Calls a closure with every event from now on.
  ///
  /// - The closure receives each event once, in the order of sending, and no event from before this call.
  /// - Calls to one observer never overlap.
  /// - No lock is held during a call. The closure may send, read, write, invoke, observe and clean anything.
  ///
  /// See <doc:Concurrency> for threads, order, and calls that wait.
  ///
  /// - Parameters:
  ///   - queue: Where `changes` is called.
  ///   - changes: Called with each event, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called, or until the sink and all
  ///   its signals are released. It keeps none of them alive.
  /// - Complexity: O(1).
  @_disfavoredOverload public func observe(
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (Event) -> Void
  ) -> Dust {
    subscribe(queue, changes)
  }

  /// Calls a closure on the main actor with every event from now on.
  ///
  /// The closure is isolated to the main actor. If an event is sent on the main queue, and no
  /// earlier one is still on its way there, the closure is called immediately. See
  /// <doc:Concurrency> for order, re-entrancy and the other guarantees.
  ///
  /// - Parameters:
  ///   - queue: `.main`.
  ///   - changes: Called with each event, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called, or until the sink and all
  ///   its signals are released. It keeps none of them alive.
  /// - Complexity: O(1).
  public func observe(
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (Event) -> Void
  ) -> Dust {
    observe(on: ExecuteQueue.main) { event in
      MainActor.assumeIsolated { changes(event) }
    }
  }

  /// Returns a signal of the same events, each of them transformed.
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
  /// Creates the observable side of a sink.
  public init(_ sink: Sink<Event>) {
    // The closure retains the sink, which keeps the channel open.
    self.init { queue, changes in sink.channel.observe(on: queue, changes) }
  }
}
