/// The observable side of a ``Sink``: events from now on, none from before.
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

  /// The observable side of a sink.
  public init(_ sink: Sink<Event>) {
    let handle = Handle(sink.channel)
    subscribe = { queue, changes in handle.channel.observe(on: queue, changes) }
  }

  private init(
    subscribe: @escaping @Sendable (ExecuteQueue, @escaping @Sendable (Event) -> Void) -> Dust
  ) {
    self.subscribe = subscribe
  }

  /// Tells every event from now on.
  ///
  /// - Every event is told once, in the order of sending; none that was sent before is told.
  /// - Calls to one observer never overlap.
  /// - No lock is held during a call. It may send, read, write, invoke, observe and clean anything.
  ///
  /// - Parameters:
  ///   - queue: Where `changes` is called.
  ///   - changes: Called with each event. It is kept until the Dust is cleaned.
  /// - Returns: The observation. It goes on until its `clean()`, or until the sink and all signals of
  ///   it are gone; it keeps neither of them alive.
  /// - Complexity: O(1).
  @_disfavoredOverload
  public func observe(
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (Event) -> Void
  ) -> Dust {
    subscribe(queue, changes)
  }

  /// Tells every event from now on, on the main actor.
  ///
  /// The same as the other `observe`, with a closure that may use what is isolated to the main actor.
  ///
  /// - Parameters:
  ///   - queue: `.main`.
  ///   - changes: Called with each event. It is kept until the Dust is cleaned.
  /// - Returns: The observation. It goes on until its `clean()`, or until the sink and all signals of
  ///   it are gone; it keeps neither of them alive.
  /// - Complexity: O(1).
  public func observe(
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (Event) -> Void
  ) -> Dust {
    observe(on: ExecuteQueue.main) { event in
      MainActor.assumeIsolated { changes(event) }
    }
  }

  /// A signal of the same events, each transformed.
  ///
  /// - Parameter transform: Called once for each event and observer, where that observer is called.
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Event) -> Result
  ) -> Signal<Result> {
    Signal<Result> { [subscribe] queue, changes in
      subscribe(queue) { changes(transform($0)) }
    }
  }

  /// A signal of those events that satisfy the predicate.
  ///
  /// - Parameter isIncluded: Called once for each event and observer, where that observer is called.
  public func filter(_ isIncluded: @escaping @Sendable (Event) -> Bool) -> Signal<Event> {
    Signal { [subscribe] queue, changes in
      subscribe(queue) { if isIncluded($0) { changes($0) } }
    }
  }
}

extension Signal {
  /// Keeps the channel open, as a sink does.
  private final class Handle: Sendable {
    let channel: EventChannel<Event>

    init(_ channel: EventChannel<Event>) {
      self.channel = channel
      channel.addHandle()
    }

    deinit {
      channel.dropHandle()
    }
  }
}
