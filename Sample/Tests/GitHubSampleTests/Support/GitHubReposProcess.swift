import Foundation

/// The built command, run as a process of its own.
struct GitHubReposProcess {
  let exitCode: Int32
  let output: String
  let errors: String

  /// Where the package manager has put it: beside the tests.
  static let executable = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath()
    .deletingLastPathComponent()
    .appendingPathComponent("github-repos")

  static var isBuilt: Bool {
    FileManager.default.isExecutableFile(atPath: executable.path)
  }

  /// Runs it with nothing of GitHub in its environment but these variables.
  static func run(
    _ arguments: String...,
    variables: [String: String] = [:]
  ) async throws -> GitHubReposProcess {
    let inherited = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("GH_") && !name.hasPrefix("GITHUB_")
    }
    let (output, errors) = (Pipe(), Pipe())
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = inherited.merging(variables) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    let exitCode = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do {
        try process.run()
      } catch {
        continuation.resume(throwing: error)
      }
    }
    return GitHubReposProcess(
      exitCode: exitCode,
      output: try text(from: output),
      errors: try text(from: errors)
    )
  }

  /// Reads what a process that has ended left in a pipe, which holds 64 kB.
  private static func text(from pipe: Pipe) throws -> String {
    String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }
}
