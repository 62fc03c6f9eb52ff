import FluxCapacitor

/// Shows on the terminal what goes on, with a spinner, as long as something does; and anywhere, that
/// a rate limit is waited out.
package final class ProgressView: Sendable {
  private static let frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".map(String.init)
  private static let pace = Duration.milliseconds(100)

  private struct State {
    var frame = 0

    /// There as long as something is fetched.
    var spinning: Task<Void, Never>?
  }

  private let state = Protected(State())
  private let console: Console
  private let sleep: @Sendable (Duration) async throws -> Void
  private let text: Constant<String>
  private let width: Int
  private let dustBuster = DustBuster()

  /// - Parameter text: What goes on.
  init(
    text: Constant<String>,
    stores: Stores,
    environment: CommandEnvironment
  ) {
    console = environment.console
    sleep = environment.sleep
    self.text = text
    width = environment.terminal.width ?? 80
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
    // Ends with `end()`, which the end of every fetching brings about.
    let spinning = Task { [weak self, sleep] in
      while (try? await sleep(ProgressView.pace)) != nil, !Task.isCancelled {
        guard let self else { return }
        self.state.withLock { $0.frame += 1 }
        self.draw()
      }
    }
    state.withLock { $0.spinning = spinning }
    draw()
  }

  private func end() {
    state.withLock { $0.spinning.take()?.cancel() }
    console.hideActivity()
  }

  private func draw() {
    let frame = state.withLock { $0.spinning == nil ? nil : $0.frame }
    guard let frame else { return }
    let line = "\(ProgressView.frames[frame % ProgressView.frames.count]) \(text.value)"
    // A line that fills the terminal could not be taken back.
    console.showActivity(line.cut(to: width - 1))
  }

  private func report(_ wait: ConnectionStore.Wait) {
    console.report(
      """
      \(DisplayText.oneLine(wait.place)) limits the rate of requests; going on in \
      \(DisplayText.spoken(wait.duration)).
      """
    )
  }
}
