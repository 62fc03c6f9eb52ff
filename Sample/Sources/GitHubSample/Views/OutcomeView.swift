import FluxCapacitor

/// Reports the outcome of a fetch on standard error. The view reports failures, incomplete lists
/// and empty results.
package final class OutcomeView: Sendable {
  private let console: Console
  private let failure: Constant<ApiError?>
  private let total: Constant<Total?>
  private let isFiltered: Bool
  private let note: Constant<String?>
  private let dustBuster = DustBuster()

  /// - Parameters:
  ///   - isFiltered: Whether the server's count includes items that don't pass the filters.
  ///   - note: The message to show if the fetch succeeds, or nil if the items say everything.
  init(
    stores: Stores,
    console: Console,
    total: Constant<Total?> = Constant(Variable(nil)),
    isFiltered: Bool = false,
    note: Constant<String?> = Constant(Variable(nil))
  ) {
    self.console = console
    failure = stores.failure
    self.total = total
    self.isFiltered = isFiltered
    self.note = note
    stores.isFetching
      .observe { [weak self] in if !$0 { self?.showOutcome() } }
      .cleaned(by: dustBuster)
  }

  private func showOutcome() {
    if let failure = failure.value {
      // Only a failure to write the output cancels a fetch, and `run` reports this failure.
      guard failure.reason != .cancelled else { return }
      console.report("github-repos: \(failure.message)\(loss)")
    } else if let note = note.value {
      console.report(note)
    }
  }

  private var loss: String {
    guard let total = total.value, total.shown > 0 else { return "" }
    let numbers = isFiltered ? "" : ": it has \(total.shown) of \(total.all)"
    return " The list above is incomplete\(numbers)."
  }
}
