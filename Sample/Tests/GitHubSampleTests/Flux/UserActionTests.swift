import FluxCapacitorTesting
import GitHubSample
import Testing

@Suite(.isolatedDispatcher)
struct UserActionTests {
  private let store = UserStore.instantiate()

  @Test func searchAddsTheUsersOfAllPagesWithoutDuplicates() async {
    let session = MockApiSession(.users("a", "b", total: 3, next: "1"), .users("b", "c", total: 3))

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
}
