/// Sends events to observers, and keeps no value.
///
/// Use a sink to show a page, to play a sound, or to report a failure:
///
/// ```swift
/// let sink = Sink<String>()
/// let dust = sink.signal.observe { print($0) }
/// sink.send("Saved.")  // Saved.
/// dust.clean()
/// ```
///
/// A store keeps its sinks private and publishes their ``Signal``s, just as it publishes the ``Constant``s of its private
/// ``Variable``s. You can use and release a sink on any thread.
public final class Sink<Event: Sendable>: Sendable {
  @usableFromInline let channel = EventChannel<Event>()

  /// Creates a sink with no observers.
  @inlinable public init() {}

  @inlinable deinit { channel.dropHandle() }

  /// Sends an event to the current observers.
  ///
  /// The observers on `.current` are called before `send` returns, unless another thread is already delivering events of
  /// this sink. If you send events inside a reduce, a ``Dispatcher/transaction(_:)``, a ``Dispatcher/read(_:)`` or the body
  /// of a `modify`, they are delivered after that code, in the order of sending, and later events of other threads wait for
  /// them. An event that an observer sends is delivered after all observers have received the current change or event.
  @inlinable public func send(_ event: Event) { channel.send(event) }

  /// The signal through which observers receive the events.
  public var signal: Signal<Event> { Signal(self) }
}
