import FluxCapacitor

/// Holds what the requests are waiting for, apart from their answers.
package final class ConnectionStore: Storable {
  package typealias DispatchStateType = Dispatcher.Connection

  /// A rate limit that is waited out.
  package struct Wait: Equatable, Sendable {
    package let duration: Duration
    package let place: String

    package init(duration: Duration, place: String) {
      self.duration = duration
      self.place = place
    }
  }

  package let wait: Constant<Wait?>
  private let _wait = Variable<Wait?>(nil)

  package init() {
    wait = Constant(_wait)
  }

  package func reduce(with state: Dispatcher.Connection) {
    switch state {
    case .wait(let wait): _wait.value = wait
    }
  }
}
