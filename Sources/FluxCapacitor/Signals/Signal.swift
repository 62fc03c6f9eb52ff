/// The observable side of a ``Sink``, with the events from now on and none from before.
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
  /// - Every event is delivered once, in the order of sending; none that was sent before is.
  /// - Calls to one observer never overlap.
  /// - No lock is held during a call. The closure may send, read, write, invoke, observe and clean
  ///   anything.
  ///
  /// - Parameters:
  ///   - queue: Where `changes` is called.
  ///   - changes: Called with each event, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called, or until the sink and all
  ///   its signals are released; it keeps none of them alive.
  /// - Complexity: O(1).
  @_disfavoredOverload public func observe(
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (Event) -> Void
  ) -> Dust {
    subscribe(queue, changes)
  }

  /// Calls a closure on the main actor with every event from now on.
  ///
  /// It is the same as the other `observe`, with a closure that is isolated to the main actor.
  ///
  /// - Parameters:
  ///   - queue: `.main`.
  ///   - changes: Called with each event, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called, or until the sink and all
  ///   its signals are released; it keeps none of them alive.
  /// - Complexity: O(1).
  public func observe(
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (Event) -> Void
  ) -> Dust {
    observe(on: ExecuteQueue.main) { event in
      MainActor.assumeIsolated { changes(event) }
    }
  }

  /// Returns a signal of the same events, each transformed.
  ///
  /// - Parameter transform: Called once for each event and observer, where that observer is called.
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Event) -> Result
  ) -> Signal<Result> {
    Signal<Result> { [subscribe] queue, changes in
      subscribe(queue) { changes(transform($0)) }
    }
  }

  /// Returns a signal of the events that satisfy a predicate.
  ///
  /// - Parameter isIncluded: Called once for each event and observer, where that observer is called.
  public func filter(_ isIncluded: @escaping @Sendable (Event) -> Bool) -> Signal<Event> {
    Signal { [subscribe] queue, changes in
      subscribe(queue) { if isIncluded($0) { changes($0) } }
    }
  }
}

extension Signal {
  /// Creates the observable side of a sink.
  public init(_ sink: Sink<Event>) {
    // Keeps the sink, and so its channel open.
    self.init { queue, changes in sink.channel.observe(on: queue, changes) }
  }
}
