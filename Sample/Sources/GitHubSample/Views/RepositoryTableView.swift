import FluxCapacitor

/// Shows the repositories as a table, and adds to it whenever the store has more of them.
package final class RepositoryTableView: Sendable {
  private struct State {
    var table = RepositoryTable()
    var shownCount = 0
  }

  private let state = Protected(State())
  private let console: Console
  private let dustBuster = DustBuster()

  package init(store: RepositoryStore, console: Console) {
    self.console = console
    store.repositories
      .observe { [weak self] in self?.show($0) }
      .cleaned(by: dustBuster)
  }

  private func show(_ repositories: [GitHub.Repository]) {
    let lines = state.withLock { state in
      if repositories.count < state.shownCount { state = State() }
      let new = repositories.dropFirst(state.shownCount)
      state.shownCount = repositories.count
      return state.table.lines(for: Array(new))
    }
    guard !lines.isEmpty else { return }
    console.print(lines.joined(separator: "\n"))
  }
}
