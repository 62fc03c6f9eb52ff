import Dispatch
import FluxCapacitor
import FluxCapacitorTesting
import Testing

// This module is isolated to the main actor by default. Plain types and view models need no annotations.
// Functions that a reduce calls must be `nonisolated`.

/// A variable that compiles only if it is isolated to the main actor.
private var launches = 0

struct Account {
  let login: String
  var plan = Plan.free

  enum Plan {
    case free
    case paid(seats: Int)
  }
}

nonisolated struct Badge: Equatable {
  let name: String
  var title: String { name.uppercased() }
}

extension Dispatcher {
  /// States that carry values of types that this module declares.
  enum Session: DispatchState {
    typealias RelatedStoreType = SessionStore
    typealias RelatedActionType = SessionAction

    case signedIn(Account, on: [String: Account.Plan])
    case upgraded(Account.Plan)
    case awarded(Badge)
    case signedOut
  }
}

final class SessionStore: Storable {
  let account: Constant<Account?>
  private let _account = Variable<Account?>(nil)
  let badges: Constant<[Badge]>
  private let _badges = Variable<[Badge]>([])

  init() {
    account = Constant(_account)
    badges = Constant(_badges)
  }

  func reduce(with state: Dispatcher.Session) {
    switch state {
    case .signedIn(let account, let plans):
      _account.value = account
      if let plan = plans[account.login] { _account.value?.plan = plan }
    case .upgraded(let plan):
      _account.value?.plan = plan
    case .awarded(let badge):
      if !_badges.value.contains(badge) { _badges.value.append(badge) }
    case .signedOut:
      _account.value = nil
    }
  }
}

/// A service that is isolated to the main actor.
final class SignInService {
  func signIn(_ login: String, completion: @escaping (Result<Account, Error>) -> Void) {
    Task { completion(.success(Account(login: login))) }
  }
}

/// An action that needs `@MainActor` to call the service. Without this attribute, an action is not isolated.
@MainActor
class SessionAction: Actionable {
  typealias DispatchStateType = Dispatcher.Session

  private let service: SignInService
  private var attempts = 0

  init(service: SignInService) {
    self.service = service
  }

  func signIn(_ login: String) {
    attempts += 1
    service.signIn(login) { [weak self] result in
      switch result {
      case .success(let account): self?.invoke(.signedIn(account, on: [:]))
      case .failure: self?.invoke(.signedOut)
      }
    }
  }
}

final class SessionViewModel {
  private(set) var titles: [String] = []
  private let store = SessionStore.instantiate()
  private let dustBuster = DustBuster()

  init() {
    store.account
      .observe(on: .main) { [weak self] account in
        self?.titles.append(account?.login ?? "nobody")
      }
      .cleaned(by: dustBuster)
  }
}

@Suite(.isolatedDispatcher)
struct MainActorTests {
  @Test func viewModelShowsTheAccountThatAMainActorActionFetches() async {
    launches += 1
    let viewModel = SessionViewModel()
    let action = SessionAction(service: SignInService())
    let recorder = ValueRecorder(SessionStore.instantiate().account)

    action.signIn("octocat")
    await recorder.next(2)

    #expect(viewModel.titles == ["nobody", "octocat"])
  }

  @Test func storeReducesStatesWithMainActorIsolatedValues() {
    let store = SessionStore.instantiate()
    let action = SessionAction(service: SignInService())
    let badge = Badge(name: "first")

    action.invoke(.signedIn(Account(login: "a"), on: ["a": .paid(seats: 2)]))
    action.invoke(.awarded(badge))
    action.invoke(.awarded(badge))

    #expect(store.badges.value.map(\.title) == ["FIRST"])
    guard case .paid(let seats) = store.account.value?.plan else {
      Issue.record("The plan is not what was reduced.")
      return
    }
    #expect(seats == 2)
  }
}
