import FluxCapacitorTestSupport
import Foundation
import Testing

/// Runs a body, and returns the messages with which the library fails the test. These failures neither fail the
/// test nor count as known issues. A failed expectation of the body fails the test.
func failures<Failure>(
  isolation: isolated (any Actor)? = #isolation,
  of body: @escaping () async throws(Failure) -> Void
) async throws(Failure) -> [String] {
  let sentences = Log<String>()
  let trait = IssueHandlingTrait.compactMapIssues { issue in
    guard case .unconditional = issue.kind else { return issue }
    sentences.append(issue.comments.map(\.rawValue).joined(separator: "\n"))
    return nil
  }
  // The body runs only while this function waits.
  nonisolated(unsafe) let body = body
  nonisolated(unsafe) var failure: Failure?
  guard let test = Test.current else { preconditionFailure("Call `failures` in a test's task.") }
  do {
    try await trait.provideScope(for: test, testCase: Test.Case.current) {
      do throws(Failure) { try await body() } catch { failure = error }
    }
  } catch {
    Issue.record(error)
  }
  if let failure { throw failure }
  return sentences.entries
}

/// Runs a body that must fail the test once, and returns the message of this failure.
func failure<Failure>(
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  of body: @escaping () async throws(Failure) -> Void
) async throws(Failure) -> String {
  let sentences = try await failures(of: body)
  #expect(sentences.count == 1, "\(sentences)", sourceLocation: sourceLocation)
  return sentences.first ?? ""
}
