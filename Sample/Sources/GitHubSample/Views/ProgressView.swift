import FluxCapacitor

/// Shows on standard error how far the fetching has come.
package final class ProgressView: Sendable {
  private let userStore: UserStore
  private let repositoryStore: RepositoryStore
  private let console: Console
  private let dustBuster = DustBuster()

  package init(userStore: UserStore, repositoryStore: RepositoryStore, console: Console) {
    self.userStore = userStore
    self.repositoryStore = repositoryStore
    self.console = console
    repositoryStore.isRepositoryFetching
      .observe(ignoreFirst: true) { [weak self] in self?.show(isFetching: $0) }
      .cleaned(by: dustBuster)
    repositoryStore.repositories
      .observe(ignoreFirst: true) { [weak self] in self?.show(count: $0.count) }
      .cleaned(by: dustBuster)
  }

  private func show(isFetching: Bool) {
    if isFetching {
      let login = userStore.selectedUser.value?.login ?? ""
      console.showActivity("Fetching the repositories of \(DisplayText.oneLine(login))…")
    } else {
      console.hideActivity()
    }
  }

  private func show(count: Int) {
    guard count > 0 else { return }
    let total = repositoryStore.repositoryTotalCount.value
    console.showProgress("Fetched \(count) of \(total) repositories")
  }
}
