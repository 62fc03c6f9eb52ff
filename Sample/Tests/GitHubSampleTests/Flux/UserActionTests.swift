import FluxCapacitorTesting
import GitHubSample
import Testing

@Suite(.isolatedDispatcher)
struct UserActionTests {
  private let store = UserStore.instantiate()

  @Test func selectingAUserChangesTheSelectedUserOfTheStore() {
    UserAction(session: MockApiSession()).selectUser(login: "mona")

    #expect(store.selectedUser.value == GitHub.User(login: "mona"))
  }

  @Test func selectingTheViewerSelectsTheOwnerOfTheToken() async {
    let mona = GitHub.User(login: "mona", name: "Mona")

    await UserAction(session: MockApiSession(.success(mona))).selectViewer()

    #expect(store.selectedUser.value == mona)
    #expect(store.fetch.value.failure == nil)
  }

  @Test func searchAddsTheUsersOfAllPagesWithoutDuplicates() async {
    let session = MockApiSession(
      .users("a", "b", total: 3, next: "1"),
      .users("b", "c", total: 3)
    )

    await UserAction(session: session).searchUsers(matching: "mo na", limit: nil)

    #expect(
      session.requests() == [
        UsersRequest(matching: "mo na"), UsersRequest(matching: "mo na", after: "1"),
      ]
    )
    #expect(store.fetch.value.items == ["a", "b", "c"].map { GitHub.User(login: $0) })
    #expect(store.fetch.value.total == Total(shown: 3, all: 3))
    #expect(!store.fetch.value.isRunning)
  }

  @Test func failedSearchKeepsTheUsersOfEarlierPages() async {
    let session = MockApiSession(.users("a", total: 2, next: "1"), .failure(.unexpectedShape))

    await UserAction(session: session).searchUsers(matching: "a", limit: nil)

    #expect(store.fetch.value.items.map(\.login) == ["a"])
    #expect(store.fetch.value.failure == ApiError(.unexpectedShape, at: "mock"))
  }
}
