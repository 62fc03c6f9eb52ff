import FluxCapacitor
import GitHubSample
import Testing

struct UserActionTests {
  @Test func theSelectedUserIsInTheStore() {
    withDispatcher(Dispatcher()) {
      let store = UserStore.instantiate()

      UserAction().selectUser(login: "mona")

      #expect(store.selectedUser.value == GitHub.User(login: "mona"))
    }
  }
}
