import FluxCapacitorTestSupport
import Foundation
import GitHubSample

/// Runs the built command as a separate process, which ends at the latest when the test is cancelled.
struct GitHubReposProcess {
  /// The exit code of the process. If a signal has ended the process, the code is 128 plus the
  /// signal's number, as in shells.
  let exitCode: Int32
  let output: String
  let errors: String

  /// Whether the terminal's echo is on after the process has ended.
  var leavesEcho = true

  static let executable = BuiltExecutable("github-repos")

  /// Runs the command with pipes as its standard streams.
  ///
  /// - Parameters:
  ///   - arguments: The arguments, separated by spaces.
  ///   - variables: The environment variables to add. The process inherits no variables for GitHub
  ///     from the test.
  ///   - file: The file to write the output to, or nil to return the output to the test.
  static func run(
    _ arguments: String,
    variables: [String: String] = [:],
    input text: String = "",
    output file: FileHandle? = nil
  ) async throws -> GitHubReposProcess {
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    let (outputText, errorText) = (Self.text(from: output), Self.text(from: errors))
    let process = makeProcess(arguments, variables: variables)
    process.standardInput = input
    process.standardOutput = file ?? output
    process.standardError = errors
    let exitCode = try await exitCode(of: process)
    if file != nil { try output.fileHandleForWriting.close() }
    return GitHubReposProcess(
      exitCode: exitCode,
      output: await outputText.value,
      errors: await errorText.value
    )
  }

  /// Runs the command on a terminal of the given width. The result's output is the text that the
  /// terminal receives.
  ///
  /// - Parameters:
  ///   - isRead: Whether the test reads the terminal's output before the process has ended.
  ///   - typing: The text to type after the process has written its first output. If you pass a
  ///     text, the test reads the terminal's output only at the end.
  ///   - whileRunning: A closure that is called on a separate thread while the process runs.
  static func runOnTerminal(
    columns: Int = 80,
    _ arguments: String,
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

  private static func makeProcess(_ arguments: String, variables: [String: String]) -> Process {
    let names = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"]
    let inherited = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("GH_") && !name.hasPrefix("GITHUB_") && !names.contains(name)
        && !name.lowercased().hasSuffix("_proxy")
    }
    let process = Process()
    process.executableURL = executable.url
    process.arguments = arguments.split(separator: " ").map(String.init)
    let own = ["TERM": "xterm"].merging(cacheVariables(URL(fileURLWithPath: "/dev/null"))) { $1 }
    process.environment = inherited.merging(own) { $1 }.merging(variables) { $1 }
    return process
  }

  /// Returns the variables that move the user's folder for caches. By default, the folder can't be
  /// created, so the command saves nothing.
  static func cacheVariables(_ folder: URL) -> [String: String] {
    // Apple's systems put `Library/Caches` into the folder in the second variable.
    ["XDG_CACHE_HOME": folder.path, "CFFIXED_USER_HOME": folder.path]
  }

  private static func exitCode(
    of process: Process,
    whileRunning: @escaping @Sendable (_ process: Int32) -> Void = { _ in }
  ) async throws -> Int32 {
    let running = try withDefaultInterrupt { try RunningProcess(process) }
    // A separate thread calls the closure, so that the tasks of other tests don't delay the call.
    Thread.detachNewThread { whileRunning(running.id) }
    await running.waitForEnd()
    let status = process.terminationStatus
    return process.terminationReason == .uncaughtSignal ? 128 + status : status
  }

  private static let spawning = NSLock()

  /// Runs a closure, and gives SIGINT its default action until the closure ends.
  ///
  /// Programs that run tests ignore SIGINT, and a child process would inherit the ignored signal.
  private static func withDefaultInterrupt<Result>(_ body: () throws -> Result) rethrows -> Result {
    try spawning.withLock {
      let previous = signal(SIGINT, SIG_DFL)
      defer { signal(SIGINT, previous) }
      return try body()
    }
  }

  /// Reads a pipe on a separate thread, because a process blocks after writing 64 kB to an unread
  /// pipe.
  private static func text(from pipe: Pipe) -> Task<String, Never> {
    PseudoTerminal.read { pipe.fileHandleForReading.allBytes() }
  }
}
