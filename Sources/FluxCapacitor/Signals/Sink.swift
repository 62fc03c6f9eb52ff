/// An object that sends events without keeping a value: show a page, play a sound, report a failure.
///
/// A store keeps its sinks private and publishes their ``Signal``s, as it does with ``Variable``s
/// and ``Constant``s. You can use and release a sink on any thread.
///
/// ```swift
/// let sink = Sink<String>()
/// let dust = sink.signal.observe { print($0) }
/// sink.send("Saved.")  // Saved.
/// dust.clean()
/// ```
public final class Sink<Event: Sendable>: Sendable {
  @usableFromInline let channel = EventChannel<Event>()

  /// Creates a sink with no observers.
  @inlinable public init() {}

  @inlinable deinit { channel.dropHandle() }

  /// Sends an event to the current observers.
  ///
  /// The observers on `.current` are called before `send` returns, unless another thread is
  /// delivering to them at that moment. Inside a reduce, a ``Dispatcher/transaction(_:)`` or the
  /// body of a `modify`, every event is delivered after that has ended, in the order of sending.
  /// Inside an observer, the event is delivered after the observers of the current change or event
  /// have been called.
  @inlinable public func send(_ event: Event) { channel.send(event) }

  /// The signal through which the events can be observed.
  public var signal: Signal<Event> { Signal(self) }
}
