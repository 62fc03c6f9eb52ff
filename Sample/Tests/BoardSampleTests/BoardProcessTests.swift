import BoardSample
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests of the built board, which is killed and started again.
@Suite(.timeLimit(.minutes(20)), .enabled(if: BoardProcess.executable.isBuilt))
struct BoardProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func savedEditsSurviveSIGKILL() async throws {
    let expected = [
      ("add Buy milk", ["1 [ ] Buy milk", "1 to do, 0 done, 1 not synced"]),
      ("add Buy bread", ["1 [ ] Buy milk", "2 [ ] Buy bread", "2 to do, 0 done, 2 not synced"]),
      ("done 1", ["1 [x] Buy milk", "2 [ ] Buy bread", "1 to do, 1 done, 2 not synced"]),
      ("remove 1", ["2 [ ] Buy bread", "1 to do, 0 done, 1 not synced"]),
      ("undo", ["1 [x] Buy milk", "2 [ ] Buy bread", "1 to do, 1 done, 2 not synced"]),
      ("undo", ["1 [ ] Buy milk", "2 [ ] Buy bread", "2 to do, 0 done, 2 not synced"]),
      ("redo", ["1 [x] Buy milk", "2 [ ] Buy bread", "1 to do, 1 done, 2 not synced"]),
    ]
    var shown = ["The board is empty. Type add and a title.", "0 to do, 0 done, all synced"]

    for (line, board) in expected {
      let process = try BoardProcess("--file", folder.url.path)
      #expect(await process.output(through: shown.last) == shown)
      try process.type(line)
      #expect(await process.output(through: "Saved.") == board + ["Saved."])
      await process.kill()
      shown = board
    }

    let process = try BoardProcess("--file", folder.url.path)
    #expect(await process.output(through: shown.last) == shown)
    #expect(try await process.exitCode() == 0)
  }

  @Test func editsSurviveSIGKILLDuringASync() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.url.path as String] in
      let server = MockServer { edit in
        if edit.id == 2 { kill(getpid(), SIGKILL) }
        return nil
      }
      let folder = URL(fileURLWithPath: path)
      let board = try Board(folder: folder, server: server, clock: ManualClock(), print: { _ in })
      for line in ["add Buy milk", "add Buy bread", "sync"] { _ = await board.answer(line) }
      try await board.run(AsyncStream { $0.finish() })
    }

    let process = try BoardProcess("--file", folder.url.path)
    #expect(try await process.exitCode() == 0)
    #expect(await process.output().prefix(2) == ["1 [ ] Buy milk", "2 [ ] Buy bread"])
  }

  @Test func endOfInputWaitsForTheSearchAndTheServer() async throws {
    let process = try BoardProcess("--file", folder.url.path)
    for line in ["add Buy milk", "sync", "find milk"] { try process.type(line) }

    #expect(try await process.exitCode() == 0)

    let output = await process.output()
    #expect(output.contains("Cards with “milk”:"))
    #expect(output.contains("1 to do, 0 done, all synced"))
  }

  @Test func helpAndMistakesExplainTheOptions() async throws {
    let help = try BoardProcess("--help")
    #expect(try await help.exitCode() == 0)
    #expect(await help.output().joined(separator: "\n") == Options.usage)

    let mistake = try BoardProcess("--fil")
    #expect(try await mistake.exitCode() == 2)
    #expect(
      await mistake.output() == ["“--fil” isn't an option. Type board --help to see the options."]
    )
  }

  /// An edit isn't lost because nobody can read the answer.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func boardSavesEditsAndFailsIfItsOutputCannotBeWritten() async throws {
    let path = folder.url.path
    let first = try BoardProcess("--file", path, outputPath: "/dev/full")
    try first.type("add Buy milk")
    #expect(try await first.exitCode() == 1)
    #expect(await first.output() == ["Standard output can't be written: No space left on device."])

    let second = try BoardProcess("--file", path)
    #expect(try await second.exitCode() == 0)
    #expect(await second.output().first == "1 [ ] Buy milk")
  }

  @Test func boardSavesTheEditAndEndsIfNobodyReadsTheAnswer() async throws {
    let first = try BoardProcess("--file", folder.url.path, isRead: false)
    try first.type("add Buy milk")
    #expect(try await first.exitCode(endsInput: false) == 1)
    #expect(await first.output() == ["Standard output can't be written: Broken pipe."])

    let second = try BoardProcess("--file", folder.url.path)
    #expect(try await second.exitCode() == 0)
    #expect(await second.output().first == "1 [ ] Buy milk")
  }

  @Test func boardEndsInAPipelineWithEndlessInput() async throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c", "yes 'add Buy milk' | \"$0\" --file \"$1\" 2>&1 | head -n 1 >&2",
      BoardProcess.executable.url.path, folder.url.path,
    ]
    let errors = Pipe()
    shell.standardError = errors
    await (try RunningProcess(shell)).waitForEnd()

    let second = try BoardProcess("--file", folder.url.path)
    #expect(try await second.exitCode() == 0)
    #expect(await second.output().first == "1 [ ] Buy milk")
  }

  @Test func boardWaitsForInputThatDoesNotBlock() async throws {
    let process = try BoardProcess("--file", folder.url.path, isWaiting: false)
    _ = await process.output(through: "0 to do, 0 done, all synced")
    try process.type("add Buy milk")

    #expect(await process.output(through: "Saved.").first == "1 [ ] Buy milk")
    #expect(try await process.exitCode() == 0)
  }

  @Test func secondBoardInAFolderIsRejected() async throws {
    let first = try BoardProcess("--file", folder.url.path)
    _ = await first.output(through: "0 to do, 0 done, all synced")

    let second = try BoardProcess("--file", folder.url.path)

    #expect(try await second.exitCode() == 1)
    let message = await second.output().joined()
    #expect(message.hasSuffix("Choose another folder with --file."), "\(message)")
    #expect(try await first.exitCode() == 0)
  }
}
