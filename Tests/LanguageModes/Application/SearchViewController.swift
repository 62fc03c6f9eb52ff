import FluxCapacitor
import LanguageModesLibrary

final class SearchViewController: ViewController {
  let queryLabel = Label()
  private(set) var count: Int?
  private(set) var spins = false
  private(set) var names: [String] = []
  private(set) var queries: [String] = []

  private let userStore = UserStore.instantiate()
  private let dustBuster = DustBuster()

  override func viewDidLoad() {
    super.viewDidLoad()
    userStore.lastSearchQuery.bind(to: queryLabel, \.text)
    userStore.userTotalCount.bind(to: self, \.count)
    userStore.isUserFetching.bind(to: self, on: .main, \.spins)
    userStore.users.bind(to: self) { me, users in
      me.names = users.map(\.login)
    }
    userStore.users.observe(duringScopeOf: self, on: .main, ignoreFirst: true) { [weak self] in
      self?.title(with: $0.count)
    }
    userStore.lastSearchQuery
      .observeChanges(on: .main) { [weak self] old, new in
        self?.queries.append("\(old) → \(new)")
      }
      .cleaned(by: dustBuster)
  }

  private func title(with count: Int) {
    queries.append("\(count) users")
  }
}
