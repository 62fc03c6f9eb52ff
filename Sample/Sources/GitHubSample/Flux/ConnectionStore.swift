import FluxCapacitor

/// Publishes each wait for a rate limit through a signal.
package final class ConnectionStore: Storable {
  package typealias DispatchStateType = Dispatcher.Connection

  /// A wait for a rate limit.
  package struct Wait: Equatable, Sendable {
    package let duration: Duration
    package let place: String

    package init(duration: Duration, place: String) {
      self.duration = duration
      self.place = place
    }
  }

  package let waits: Signal<Wait>
  private let _waits = Sink<Wait>()

  package init() {
    waits = Signal(_waits)
  }

  package func reduce(with state: Dispatcher.Connection) {
    switch state {
    case .wait(let wait): _waits.send(wait)
    }
  }
}
