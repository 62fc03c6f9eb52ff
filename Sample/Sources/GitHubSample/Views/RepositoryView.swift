import FluxCapacitor
import Foundation

/// Shows the selected repository.
package final class RepositoryView: Sendable {
  private let repository: Constant<GitHub.Repository?>
  private let output: OutputFormat
  private let environment: any ViewEnvironment
  private let dustBuster = DustBuster()

  init(stores: Stores, output: OutputFormat, environment: any ViewEnvironment) {
    repository = stores.repository.selectedRepository
    self.output = output
    self.environment = environment
    stores.isFetching
      .observe(ignoreFirst: true) { [weak self] in if !$0 { self?.show() } }
      .cleaned(by: dustBuster)
  }

  private func show() {
    guard let repository = repository.value else { return }
    switch output {
    case .lines:
      environment.console.print(RepositoryFormat.lines(of: repository).joined(separator: "\n"))
    case .json(let fields, let isPretty):
      environment.console.print {
        try RepositoryFormat.list.json(for: repository, fields: fields, isPretty: isPretty)
      }
    case .table(_, let hasColors):
      let card = RepositoryFormat.card(of: repository, now: environment.now(), hasColors: hasColors)
      environment.console.print(card.joined(separator: "\n"))
    }
  }
}
