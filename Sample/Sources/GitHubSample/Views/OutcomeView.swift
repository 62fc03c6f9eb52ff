import FluxCapacitor

/// Says on standard error what there is to say when the fetching has ended: what failed, that there
/// was nothing, or that there is more.
package final class OutcomeView: Sendable {
  private let userStore: UserStore
  private let repositoryStore: RepositoryStore
  private let console: Console
  private let dustBuster = DustBuster()

  package init(userStore: UserStore, repositoryStore: RepositoryStore, console: Console) {
    self.userStore = userStore
    self.repositoryStore = repositoryStore
    self.console = console
    repositoryStore.isRepositoryFetching
      .observe(ignoreFirst: true) { [weak self] in if !$0 { self?.showOutcome() } }
      .cleaned(by: dustBuster)
  }

  private func showOutcome() {
    let count = repositoryStore.repositories.value.count
    let total = repositoryStore.repositoryTotalCount.value
    if let failure = repositoryStore.failure.value {
      let loss = count > 0 ? " The list above is incomplete: it has \(count) of \(total)." : ""
      console.report("github-repos: \(failure.message)\(loss)")
    } else if count == 0 {
      let login = userStore.selectedUser.value?.login ?? ""
      console.report("\(DisplayText.oneLine(login)) has no repositories.")
    } else if count < total {
      console.report("Showing \(count) of \(total) repositories; see --limit and --all.")
    }
  }
}
