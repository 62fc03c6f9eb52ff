import FluxCapacitor
import Foundation

/// Shows the repository that is selected.
package final class RepositoryView: Sendable {
  private let repository: Constant<GitHub.Repository?>
  private let output: OutputFormat
  private let console: Console
  private let now: @Sendable () -> Date
  private let dustBuster = DustBuster()

  init(
    stores: Stores,
    output: OutputFormat,
    console: Console,
    now: @escaping @Sendable () -> Date
  ) {
    repository = stores.repository.selectedRepository
    self.output = output
    self.console = console
    self.now = now
    stores.isFetching
      .observe(ignoreFirst: true) { [weak self] in if !$0 { self?.show() } }
      .cleaned(by: dustBuster)
  }

  private func show() {
    guard let repository = repository.value else { return }
    switch output {
    case .lines:
      console.print(RepositoryFormat.lines(of: repository).joined(separator: "\n"))
    case .json(let fields, let isPretty):
      console.print {
        try RepositoryFormat.list.json(for: repository, fields: fields, isPretty: isPretty)
      }
    case .table(_, let hasColors):
      let card = RepositoryFormat.card(of: repository, now: now(), hasColors: hasColors)
      console.print(card.joined(separator: "\n"))
    }
  }
}
