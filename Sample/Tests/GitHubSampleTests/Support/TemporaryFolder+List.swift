import FluxCapacitor
import FluxCapacitorTestSupport
import Foundation
import GitHubSample
import Testing

extension TemporaryFolder {
  /// The outcome of a command.
  struct Outcome {
    let output: String
    let errors: String
    let exitCode: ExitCode
  }

  /// Runs a command that can save a list in this folder.
  ///
  /// - Parameter name: The name of the folder for the list, inside the test's folder.
  @discardableResult
  func fetch(
    _ arguments: String...,
    from session: MockApiSession,
    in name: String = ""
  ) async -> Outcome {
    await outcome(of: arguments, session: session, folder: file(name))
  }

  /// Runs the `list` command with the option `--cached` and a session without replies.
  func runCached(
    _ arguments: String...,
    terminal: Terminal = Terminal(width: nil),
    now: Date = .start,
    in name: String = ""
  ) async -> Outcome {
    let session = MockApiSession()
    defer { #expect(session.requests.isEmpty) }
    return await outcome(
      of: arguments + ["--cached"],
      session: session,
      terminal: terminal,
      now: now,
      folder: file(name)
    )
  }

  private func outcome(
    of arguments: [String],
    session: MockApiSession,
    terminal: Terminal = Terminal(width: nil),
    now: Date = .start,
    folder: URL
  ) async -> Outcome {
    let recorder = ConsoleRecorder()
    let environment = CommandEnvironment.test(
      session,
      recorder: recorder,
      terminal: terminal,
      now: now,
      cacheFolder: folder
    )
    // Each command has its own stores, like the process of a command.
    let exitCode = await withDispatcher(Dispatcher()) {
      await run(arguments: arguments, environment: environment)
    }
    return Outcome(output: recorder.output, errors: recorder.errors, exitCode: exitCode)
  }
}
