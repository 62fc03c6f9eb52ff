import FluxCapacitor

/// Searches after a short pause, so only the last of several quick searches begins.
package struct SearchAction: Actionable {
  package typealias DispatchStateType = Dispatcher.Search

  private let clock: any Clock<Duration>

  package init(clock: any Clock<Duration> = ContinuousClock()) {
    self.clock = clock
  }

  package func find(_ text: String) {
    let pause: Duration = text.isEmpty ? .zero : .milliseconds(300)
    SearchStore.instantiate().searches.run(after: pause, clock: clock) { effect in
      invoke(.show(cardsWith: text), as: effect)
    }
  }
}
