import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher)
struct TestingFailureSnippets {
  /// What the guide to testing shows of a change that was forgotten.
  @Test func failureShowsAForgottenChange() {
    let tester = StoreTester(RepositoryStore.self)
    tester.invoke(.isFetching(true)) {
      Change(\.isFetching, to: true)
    }

    withKnownIssue {
      tester.invoke(.show(["FluxCapacitor"])) {
        Change(\.names, to: ["FluxCapacitor"])
      }
    } matching: { issue in
      issue.comments.map(\.rawValue) == [
        """
        RepositoryStore after Repository.show(["FluxCapacitor"]):
          names: [] → ["FluxCapacitor"]
        ✗ isFetching: true → false, which was not expected
        """
      ]
    }
  }
}
