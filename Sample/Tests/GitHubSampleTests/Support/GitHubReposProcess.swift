import Foundation
import GitHubSample

/// The built command, run as a process of its own, for a minute at most.
struct GitHubReposProcess {
  /// The code that it exited with, or as shells have it, 128 and the signal that ended it.
  let exitCode: Int32
  let output: String
  let errors: String

  /// Whether it has left behind a terminal that shows what is typed.
  var leavesEcho = true

  /// Where the package manager has put it: beside the tests.
  static let executable = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath()
    .deletingLastPathComponent()
    .appendingPathComponent("github-repos")

  static var isBuilt: Bool {
    FileManager.default.isExecutableFile(atPath: executable.path)
  }

  /// What a run is given besides its arguments.
  struct Setup {
    /// Its environment holds nothing of GitHub but these variables.
    var variables: [String: String] = [:]
    var input = ""

    /// Where its output goes, if not to the test.
    var output: FileHandle?
  }

  /// Runs it with pipes for its streams.
  static func run(
    _ arguments: String...,
    variables: [String: String] = [:]
  ) async throws -> GitHubReposProcess {
    try await run(arguments, Setup(variables: variables))
  }

  static func run(_ arguments: [String], _ setup: Setup) async throws -> GitHubReposProcess {
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    try input.fileHandleForWriting.write(contentsOf: Data(setup.input.utf8))
    try input.fileHandleForWriting.close()
    let (outputText, errorText) = (text(from: output), text(from: errors))
    let process = makeProcess(arguments, variables: setup.variables)
    process.standardInput = input
    process.standardOutput = setup.output ?? output
    process.standardError = errors
    let exitCode = try await exitCode(of: process)
    if setup.output != nil { try output.fileHandleForWriting.close() }
    return GitHubReposProcess(
      exitCode: exitCode,
      output: await outputText.value,
      errors: await errorText.value
    )
  }

  /// Runs it on a terminal of so many columns; what it writes there is its output.
  ///
  /// - Parameters:
  ///   - isRead: Whether the terminal takes what is written before the process has ended.
  ///   - typing: What is typed when the process has written something, which it then must not wait to be read.
  ///   - whileRunning: Runs on a thread of its own, beside the process.
  static func runOnTerminal(
    columns: Int,
    _ arguments: String...,
    variables: [String: String] = [:],
    isRead: Bool = true,
    typing: String? = nil,
    whileRunning: @escaping @Sendable (_ process: Int32) -> Void = { _ in }
  ) async throws -> GitHubReposProcess {
    let terminal = try PseudoTerminal(columns: columns)
    let isRead = isRead && typing == nil
    var text = isRead ? terminal.text() : nil
    let process = makeProcess(arguments, variables: variables)
    process.standardInput = terminal.slave
    process.standardOutput = terminal.slave
    process.standardError = terminal.slave
    let exitCode = try await exitCode(of: process) { process in
      if !isRead { terminal.waitUntilWrittenTo() }
      if let typing { terminal.type(typing) }
      whileRunning(process)
    }
    let leavesEcho = terminal.echoes
    try terminal.slave.close()
    text = text ?? terminal.text()
    return GitHubReposProcess(
      exitCode: exitCode,
      output: await text?.value ?? "",
      errors: "",
      leavesEcho: leavesEcho
    )
  }

  private static func makeProcess(_ arguments: [String], variables: [String: String]) -> Process {
    let names = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "http_proxy", "HTTP_PROXY"]
    let inherited = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("GH_") && !name.hasPrefix("GITHUB_") && !names.contains(name)
    }
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = inherited.merging(["TERM": "xterm"]) { $1 }.merging(variables) { $1 }
    return process
  }

  private static func exitCode(
    of process: Process,
    whileRunning: @escaping @Sendable (_ process: Int32) -> Void = { _ in }
  ) async throws -> Int32 {
    let (ends, end) = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in end.finish() }
    try withDefaultInterrupt { try process.run() }
    let watchdog = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: watchdog)
    // On a thread of its own: the process does not wait until the tests' tasks have one for it.
    let number = process.processIdentifier
    Thread.detachNewThread { whileRunning(number) }
    for await _ in ends {}
    watchdog.cancel()
    let status = process.terminationStatus
    return process.terminationReason == .uncaughtSignal ? 128 + status : status
  }

  private static let spawning = NSLock()

  /// A process inherits what is ignored, and those who run tests ignore SIGINT.
  private static func withDefaultInterrupt(_ body: () throws -> Void) rethrows {
    try spawning.withLock {
      let previous = signal(SIGINT, SIG_DFL)
      defer { signal(SIGINT, previous) }
      try body()
    }
  }

  /// Reads on a thread of its own, for a pipe holds no more than 64 kB.
  private static func text(from pipe: Pipe) -> Task<String, Never> {
    PseudoTerminal.read { try? pipe.fileHandleForReading.readToEnd() }
  }
}
