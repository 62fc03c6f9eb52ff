import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher)
struct TestingFailureSnippets {
  /// The article on testing quotes the failure message of this test.
  @Test func storeTesterFailureShowsAChangeThatWasNotExpected() async throws {
    let tester = StoreTester(RepositoryStore.self)
    tester.invoke(.isFetching(true)) {
      Change(\.isFetching, to: true)
    }

    let trait = IssueHandlingTrait.compactMapIssues { issue in
      #expect(
        issue.comments.map(\.rawValue) == [
          #"""
          RepositoryStore after Repository.show(["FluxCapacitor"]):
            names: [] → ["FluxCapacitor"]
          ✗ isFetching: true → false, which was not expected

          This expectation passes:
            Change(\.names, to: ["FluxCapacitor"])
            Change(\.isFetching, to: false)
          """#
        ]
      )
      return nil
    }
    let test = try #require(Test.current)
    try await trait.provideScope(for: test, testCase: Test.Case.current) {
      tester.invoke(.show(["FluxCapacitor"])) {
        Change(\.names, to: ["FluxCapacitor"])
      }
    }
  }
}
