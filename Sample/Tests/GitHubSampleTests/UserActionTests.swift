import FluxCapacitor
import GitHubSample
import Testing

struct UserActionTests {
  @Test func theSelectedUserIsInTheStore() {
    withDispatcher(Dispatcher()) {
      let store = UserStore.instantiate()

      UserAction(session: MockApiSession()).selectUser(login: "mona")

      #expect(store.selectedUser.value == GitHub.User(login: "mona"))
    }
  }

  @Test func theViewerIsWhomTheTokenBelongsTo() async {
    await withDispatcher(Dispatcher()) {
      let store = UserStore.instantiate()
      let mona = GitHub.User(login: "mona", name: "Mona")

      await UserAction(session: MockApiSession(.success(mona))).selectViewer()

      #expect(store.selectedUser.value == mona)
      #expect(store.failure.value == nil)
    }
  }

  @Test func aSearchGoesThroughItsPages() async {
    await withDispatcher(Dispatcher()) {
      let store = UserStore.instantiate()
      let users = ["a", "b", "c"].map { GitHub.User(login: $0) }
      let session = MockApiSession(
        .success(Page(items: Array(users[..<2]), totalCount: 3, hasNextPage: true, endCursor: "1")),
        .success(Page(items: Array(users[1...]), totalCount: 3))
      )

      await UserAction(session: session).searchUsers(matching: "mo na", limit: nil)

      #expect(
        session.requests() == [
          UsersRequest(matching: "mo na"), UsersRequest(matching: "mo na", after: "1"),
        ]
      )
      #expect(store.users.value == users)
      #expect(store.total.value == Total(shown: 3, all: 3))
      #expect(!store.isUserFetching.value)
    }
  }

  @Test func aFailedSearchKeepsWhatCameBefore() async {
    await withDispatcher(Dispatcher()) {
      let store = UserStore.instantiate()
      let session = MockApiSession(
        .success(
          Page(items: [GitHub.User(login: "a")], totalCount: 2, hasNextPage: true, endCursor: "1")
        ),
        .failure(.unexpectedShape)
      )

      await UserAction(session: session).searchUsers(matching: "a", limit: nil)

      #expect(store.users.value.map(\.login) == ["a"])
      #expect(store.failure.value == ApiError(.unexpectedShape, at: "mock"))
    }
  }
}
