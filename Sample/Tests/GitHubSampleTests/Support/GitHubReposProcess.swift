import Foundation
import GitHubSample

/// The built command, run as a separate process, for five minutes at most.
struct GitHubReposProcess {
  /// The exit code of the process or, as in shells, 128 plus the signal that ended it.
  let exitCode: Int32
  let output: String
  let errors: String

  /// Whether the terminal shows typed characters after the process has ended.
  var leavesEcho = true

  /// The executable, which the package manager puts next to the tests.
  static let executable = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath()
    .deletingLastPathComponent()
    .appendingPathComponent("github-repos")

  static var isBuilt: Bool {
    FileManager.default.isExecutableFile(atPath: executable.path)
  }

  /// The surroundings of a run.
  struct Setup {
    /// The variables of the environment. The process sees no other variables for GitHub.
    var variables: [String: String] = [:]
    var input = ""

    /// The destination of the output; nil for the test.
    var output: FileHandle?
  }

  /// Runs the command with pipes for its streams.
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

  /// Runs the command on a terminal of this width. The output is the text that the terminal
  /// receives.
  ///
  /// - Parameters:
  ///   - isRead: Whether the terminal is read before the process has ended.
  ///   - typing: The text to type when the process has written something. The terminal is then read
  ///     only at the end.
  ///   - whileRunning: Called on its own thread while the process runs.
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
    // The closure has its own thread, so it doesn't have to wait for the tasks of other tests.
    let number = process.processIdentifier
    Thread.detachNewThread { whileRunning(number) }
    for await _ in ends {}
    watchdog.cancel()
    let status = process.terminationStatus
    return process.terminationReason == .uncaughtSignal ? 128 + status : status
  }

  private static let spawning = NSLock()

  /// Runs a closure while SIGINT has its default action.
  ///
  /// A process inherits ignored signals, and programs that run tests ignore SIGINT.
  private static func withDefaultInterrupt(_ body: () throws -> Void) rethrows {
    try spawning.withLock {
      let previous = signal(SIGINT, SIG_DFL)
      defer { signal(SIGINT, previous) }
      try body()
    }
  }

  /// Reads a pipe on a separate thread, because a pipe holds no more than 64 kB.
  private static func text(from pipe: Pipe) -> Task<String, Never> {
    PseudoTerminal.read { try? pipe.fileHandleForReading.readToEnd() }
  }
}
