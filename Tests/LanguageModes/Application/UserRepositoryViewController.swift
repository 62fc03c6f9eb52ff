import FluxCapacitor
import LanguageModesLibrary

final class UserRepositoryViewController: ViewController {
  private(set) var rows: [String] = []
  private(set) var title = ""
  private(set) var reloads = 0
  private(set) var spinnerChanges: [Bool] = []

  private let repositoryAction: RepositoryAction
  private let repositoryStore = RepositoryStore.instantiate()
  private let userStore = UserStore.instantiate()
  private let dustBuster = DustBuster()

  init(repositoryAction: RepositoryAction) {
    self.repositoryAction = repositoryAction
    super.init()
  }

  override func viewDidLoad() {
    super.viewDidLoad()
    observeStore()
    if let user = userStore.selectedUser.value {
      repositoryAction.fetchRepositories(withUserId: user.id, after: nil)
    }
  }

  private func observeStore() {
    repositoryStore.repositories
      .observe(on: .main) { [weak self] _ in
        self?.reload()
      }
      .cleaned(by: dustBuster)

    repositoryStore.isRepositoryFetching
      .observe(
        on: .main,
        ignoreFirst: true,
        changes: { [weak self] isFetching in
          self?.spinnerChanges.append(isFetching)
        }
      )
      .cleaned(by: dustBuster)

    let dust = userStore.selectedUser.observe(on: .main) { [weak self] user in
      guard let me = self else { return }
      me.title = user?.login ?? "nobody"
    }
    dustBuster.insert(dust)
  }

  private func reload() {
    reloads += 1
    rows = repositoryStore.repositories.value.map(\.name)
  }
}
