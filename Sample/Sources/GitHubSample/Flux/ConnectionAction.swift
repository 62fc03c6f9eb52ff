import FluxCapacitor

/// Invokes a state when a request begins to wait for a rate limit.
package final class ConnectionAction: Actionable {
  package typealias DispatchStateType = Dispatcher.Connection

  package init() {}

  package func beginWaiting(_ duration: Duration, for place: String) {
    invoke(.wait(ConnectionStore.Wait(duration: duration, place: place)))
  }
}
