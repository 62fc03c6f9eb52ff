import FluxCapacitor

/// Publishes what happens to requests besides their responses.
package final class ConnectionStore: Storable {
  package typealias DispatchStateType = Dispatcher.Connection

  /// A rate limit that is being waited out.
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
