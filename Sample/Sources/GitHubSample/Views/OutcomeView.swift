import FluxCapacitor

/// Says on standard error what there is to say when a fetching has ended: what failed, and what that
/// means for what was shown; or, to people, that there was nothing.
package final class OutcomeView: Sendable {
  private let console: Console
  private let failure: Constant<ApiError?>
  private let count: @Sendable () -> (shown: Int, total: Int?)
  private let nothing: @Sendable () -> String?
  private let dustBuster = DustBuster()

  /// - Parameters:
  ///   - count: How many things are shown, and of how many, as far as that is known.
  ///   - nothing: What to say without a failure, if there is nothing to be shown.
  init(
    isFetching: Constant<Bool>,
    failure: Constant<ApiError?>,
    console: Console,
    count: @escaping @Sendable () -> (shown: Int, total: Int?) = { (0, nil) },
    nothing: @escaping @Sendable () -> String? = { nil }
  ) {
    self.console = console
    self.failure = failure
    self.count = count
    self.nothing = nothing
    isFetching
      .observe(ignoreFirst: true) { [weak self] in if !$0 { self?.showOutcome() } }
      .cleaned(by: dustBuster)
  }

  private func showOutcome() {
    if let failure = failure.value {
      // Only an output that can't be written to cancels anything, and that is said elsewhere.
      guard failure.reason != .cancelled else { return }
      let (shown, total) = count()
      let numbers = total.map { ": it has \(shown) of \($0)" } ?? ""
      let loss = " The list above is incomplete\(numbers)."
      console.report("github-repos: \(failure.message)\(shown > 0 ? loss : "")")
    } else if let nothing = nothing() {
      console.report(nothing)
    }
  }
}
