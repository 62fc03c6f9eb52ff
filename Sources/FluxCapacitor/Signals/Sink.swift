/// Sends events, which have no value to keep: show a page, play a sound, tell that something failed.
///
/// A store keeps its sinks private and publishes their ``Signal``s, as it does with a ``Variable`` and
/// its ``Constant``. It may be used and let go of on any thread.
///
/// ```swift
/// let sink = Sink<String>()
/// let dust = sink.signal.observe { print($0) }
/// sink.send("Saved.")  // Saved.
/// dust.clean()
/// ```
public final class Sink<Event: Sendable>: Sendable {
  @usableFromInline let channel = EventChannel<Event>()

  /// A sink that nobody observes.
  @inlinable
  public init() {}

  @inlinable
  deinit {
    channel.dropHandle()
  }

  /// Sends an event to those who observe now.
  ///
  /// The observers on `.current` have been told when it returns, unless another thread is telling them
  /// just then. Inside a reduce, a ``Dispatcher/transaction(_:)`` or the body of a `modify`, every
  /// event is told after that has ended, in the order of sending; inside an observer, after the
  /// observers of the present change or event have been told.
  @inlinable
  public func send(_ event: Event) {
    channel.send(event)
  }

  /// Where the events can be observed.
  public var signal: Signal<Event> { Signal(self) }
}
