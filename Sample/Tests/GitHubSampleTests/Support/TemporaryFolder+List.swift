import FluxCapacitorTestSupport
import Foundation
import GitHubSample
import Testing

extension TemporaryFolder {
  /// Runs a command that can save a list in this folder.
  ///
  /// - Parameter name: The name of the folder for the list, inside the test's folder.
  @discardableResult
  func fetch(
    _ line: String,
    from replies: MockApiSession.Reply...,
    terminal: Terminal = Terminal(width: nil),
    in name: String = ""
  ) async -> Outcome {
    let session = MockApiSession(replies)
    return await runCommand(line, session: session, terminal: terminal, cacheFolder: file(name))
  }

  /// Runs the `list` command with the option `--cached` and a session without replies.
  func runCached(
    _ options: String = "",
    terminal: Terminal = Terminal(width: nil),
    now: Date = .start,
    in name: String = ""
  ) async -> Outcome {
    let session = MockApiSession()
    defer { #expect(session.requests.isEmpty) }
    return await runCommand(
      "\(options) --cached",
      session: session,
      terminal: terminal,
      now: now,
      cacheFolder: file(name)
    )
  }
}
