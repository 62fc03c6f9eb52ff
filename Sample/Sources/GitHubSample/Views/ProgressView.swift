import FluxCapacitor

/// Shows a spinner on a terminal during a fetch. The view also reports each wait for a rate limit,
/// with or without a terminal.
package final class ProgressView: Sendable {
  private static let frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".map(String.init)
  private static let pace = Duration.milliseconds(100)

  private struct State {
    var frame = 0
    var isSpinning = false
  }

  private let state = Protected(State())
  private let environment: any ViewEnvironment
  private let text: Constant<String>
  private let spinning = Effects(.latest)
  private let dustBuster = DustBuster()

  /// - Parameter text: The text next to the spinner.
  init(text: Constant<String>, stores: Stores, environment: any ViewEnvironment) {
    self.environment = environment
    self.text = text
    stores.isFetching
      .observe(ignoreFirst: true) { [weak self] in $0 ? self?.begin() : self?.end() }
      .cleaned(by: dustBuster)
    text
      .observe(ignoreFirst: true) { [weak self] _ in self?.draw() }
      .cleaned(by: dustBuster)
    stores.connection.waits
      .observe { [weak self] in self?.report($0) }
      .cleaned(by: dustBuster)
  }

  private func begin() {
    state.withLock { $0.isSpinning = true }
    draw()
    // `end()` and the deinitialization of this view cancel the effect.
    spinning.run { [weak self, environment] _ in
      while (try? await environment.sleep(ProgressView.pace)) != nil, !Task.isCancelled {
        self?.draw(turningBy: 1)
      }
    }
  }

  private func end() {
    spinning.cancel()
    state.withLock { $0.isSpinning = false }
    environment.console.hideActivity()
  }

  private func draw(turningBy step: Int = 0) {
    // This method draws while it holds the lock, so that no frame appears after `end()`.
    state.withLock { state in
      guard state.isSpinning else { return }
      state.frame += step
      let frame = ProgressView.frames[state.frame % ProgressView.frames.count]
      // The line is cut, because a line that is wider than the terminal could not be erased.
      let line = "\(frame) \(text.value)".cut(to: (environment.terminal.width ?? 80) - 1)
      environment.console.showActivity(line)
    }
  }

  private func report(_ wait: ConnectionStore.Wait) {
    environment.console.report(
      "\(wait.place.sanitized) limits the rate of requests; continuing in \(wait.duration.inWords)."
    )
  }
}
