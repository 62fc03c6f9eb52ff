import FluxCapacitorTestSupport
import Foundation
import Testing

/// Runs a body, and returns the messages of its failures without failing the test.
func failures(
  isolation: isolated (any Actor)? = #isolation,
  of body: () async throws -> Void
) async rethrows -> [String] {
  let sentences = Log<String>()
  try await withKnownIssue(isIntermittent: true) {
    try await body()
  } matching: { issue in
    sentences.append(issue.comments.map(\.rawValue).joined(separator: "\n"))
    return true
  }
  return sentences.entries
}

/// Runs a body on a thread outside any task, and waits until the body has ended.
func offTheTask(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async {
      body()
      continuation.resume()
    }
  }
}
