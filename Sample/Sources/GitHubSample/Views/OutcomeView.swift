import FluxCapacitor

/// Says on standard error what there is to say when a fetching has ended: what failed, and what that
/// means for what was shown; or, to people, that there was nothing.
package final class OutcomeView: Sendable {
  private let console: Console
  private let failure: Constant<ApiError?>
  private let loss: @Sendable () -> String?
  private let nothing: @Sendable () -> String?
  private let dustBuster = DustBuster()

  /// - Parameters:
  ///   - loss: What a failure leaves incomplete, in a sentence.
  ///   - nothing: What to say without a failure, if there is nothing to be shown.
  init(
    isFetching: Constant<Bool>,
    failure: Constant<ApiError?>,
    console: Console,
    loss: @escaping @Sendable () -> String? = { nil },
    nothing: @escaping @Sendable () -> String? = { nil }
  ) {
    self.console = console
    self.failure = failure
    self.loss = loss
    self.nothing = nothing
    isFetching
      .observe(ignoreFirst: true) { [weak self] in if !$0 { self?.showOutcome() } }
      .cleaned(by: dustBuster)
  }

  private func showOutcome() {
    if let failure = failure.value {
      console.report(
        ["github-repos: \(failure.message)", loss()].compactMap(\.self).joined(separator: " ")
      )
    } else if let nothing = nothing() {
      console.report(nothing)
    }
  }
}
