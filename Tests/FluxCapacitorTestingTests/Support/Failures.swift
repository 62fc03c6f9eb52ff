import Foundation
import Testing

/// Runs a body, and returns the messages of its failures without failing the test.
func failures(
  isolation: isolated (any Actor)? = #isolation,
  of body: () async throws -> Void
) async rethrows -> [String] {
  let sentences = Sentences()
  try await withKnownIssue(isIntermittent: true) {
    try await body()
  } matching: { issue in
    sentences.append(issue.comments.map(\.rawValue).joined(separator: "\n"))
    return true
  }
  return sentences.all
}

private final class Sentences: @unchecked Sendable {
  // `sentences` is guarded by `lock`.
  private let lock = NSLock()
  private var sentences: [String] = []

  var all: [String] { lock.withLock { sentences } }

  func append(_ sentence: String) { lock.withLock { sentences.append(sentence) } }
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
