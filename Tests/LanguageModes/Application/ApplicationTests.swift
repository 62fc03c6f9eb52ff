import Dispatch
import FluxCapacitor
import FluxCapacitorTesting
import LanguageModesLibrary
import Testing

@MainActor
@Suite(.isolatedDispatcher)
struct ApplicationTests {
  private let session = ApiSession()

  @Test func fetchedRepositoriesReachAViewControllerThatObservesOnMain() async {
    let userStore = UserStore.instantiate()
    let userAction = UserAction(session: session)
    userAction.fetchUsers(withQuery: "octocat")
    await session.finishPending()
    userAction.invoke(.selectedUser(userStore.users.value.first))
    let repositoryAction = RepositoryAction(session: session)
    let controller = UserRepositoryViewController(repositoryAction: repositoryAction)

    controller.viewDidLoad()
    await session.finishPending()
    await mainQueueIsEmpty()

    #expect(userStore.lastSearchQuery.value == "octocat")
    #expect(userStore.userTotalCount.value == 1)
    #expect(controller.title == "octocat")
    #expect(controller.rows == ["repository 1", "repository 2"])
    #expect(controller.reloads == 2)
    #expect(controller.spinnerChanges == [true, false])
  }

  @Test func viewControllerReceivesEventsChangesAndStatesDuringItsScope() {
    let controller = ScopeViewController()
    controller.viewDidLoad()

    controller.sink.send(1)
    controller.count.value = 10
    UserAction(session: session).invoke(.lastSearchQuery("octocat"))

    #expect(controller.label.text == "1")
    #expect(controller.counts == [1, 1, 10, 100])
  }

  @Test func observerOnMainIsCalledImmediatelyForAChangeOnTheMainThread() {
    let controller = UserRepositoryViewController(
      repositoryAction: RepositoryAction(session: session)
    )
    controller.viewDidLoad()

    let repository = GitHub.Repository(id: "1", name: "at once", stargazersCount: 0)
    RepositoryAction(session: session).invoke(.addRepositories([repository]))

    #expect(controller.rows == ["at once"])
  }

  @Test func bindingsUpdateViewsAndDoNotKeepAViewControllerAlive() {
    let action = UserAction(session: session)
    var controller: SearchViewController? = SearchViewController()
    weak let held = controller
    let label = controller?.queryLabel
    controller?.viewDidLoad()

    action.invoke(.isUserFetching(true))
    action.invoke(.lastSearchQuery("octocat"))
    action.invoke(.addUsers([GitHub.User(id: "1", login: "octocat")]))
    action.invoke(.userTotalCount(1))

    #expect(label?.text == "octocat")
    #expect(controller?.spins == true)
    #expect(controller?.names == ["octocat"])
    #expect(controller?.count == 1)
    #expect(controller?.queries == [" → octocat", "1 users"])

    controller = nil

    #expect(held == nil)
  }

  @Test func observerOnCurrentReceivesEachFetchedPageUntilItsDustIsCleaned() async {
    let store = RepositoryStore.instantiate()
    let action = RepositoryAction(session: session)
    let counts = Variable<[Int]>([])
    let dust = store.repositories.observe { value in
      counts.value.append(value.count)
    }

    action.fetchRepositories(withUserId: "1", after: nil)
    action.fetchRepositories(withUserId: "1", after: 2)
    await session.finishPending()
    action.invoke(.star(id: "4"))
    dust.clean()
    action.invoke(.removeAllRepositories)

    #expect(counts.value == [0, 2, 4, 4])
    #expect(store.repositories.value.isEmpty)
  }

  @Test func failureOfARequestReachesTheStore() async {
    let store = RepositoryStore.instantiate()
    let action = RepositoryAction(session: session)

    action.fetchRepositories(withUserId: "nobody", after: nil)
    await session.finishPending()

    #expect(store.error.value is GitHub.Failure)
    #expect(store.isRepositoryFetching.value == false)
  }

  @Test func genericFunctionsAcceptVariablesAndConstants() {
    let log = Variable<[String]>([])
    let selected = Variable<Int?>(nil)
    let names = Variable<[String]>([])

    _ = trace(selected, into: log)
    _ = trace(Constant(names), into: log)
    selected.value = 1
    names.value.append("a")

    #expect(log.value == ["nil", "[]", "Optional(1)", "[\"a\"]"])
    #expect(last(of: names) == "a")
    #expect(last(of: Constant(names)) == "a")
  }

  @Test func observerOnAQueueAndObservableReceiveNoValueAfterTheirEnd() {
    let queue = DispatchQueue(label: "observers")
    let variable = Variable(0)
    let constant = Constant(variable)
    let onQueue = Variable<[Int]>([])
    let onNext = Variable<[Int]>([])
    let dustBuster = DustBuster()
    variable
      .observe(on: .queue(queue)) { value in
        onQueue.value.append(value)
      }
      .cleaned(by: dustBuster)
    let disposable = constant.asObservable().subscribe { onNext.value.append($0) }

    variable.value = 1
    disposable.dispose()
    variable.value = 2
    queue.sync {}
    dustBuster.clean()
    variable.value = 3
    queue.sync {}

    #expect(onQueue.value == [0, 1, 2])
    #expect(onNext.value == [0, 1])
  }
}

/// Waits until the main queue has run the blocks that it contains.
@MainActor
func mainQueueIsEmpty() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}
