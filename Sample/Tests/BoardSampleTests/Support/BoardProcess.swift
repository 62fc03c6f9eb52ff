import FluxCapacitorTestSupport
import Foundation
import Testing

/// The built board in a process of its own.
final class BoardProcess {
  private let process = Process()
  private let running: RunningProcess
  private let input = Pipe()
  private let lines: AsyncStream<String>

  static let executable = BuiltExecutable("board")

  /// - Parameters:
  ///   - isWaiting: Whether reading the input waits for a line.
  ///   - outputPath: A file for standard output. By default, a pipe collects the output.
  ///   - isRead: Whether standard output has a reader.
  init(
    _ arguments: String...,
    isWaiting: Bool = true,
    outputPath: String? = nil,
    isRead: Bool = true
  ) throws {
    let output = Pipe()
    lines = Self.lines(of: output)
    process.executableURL = Self.executable.url
    process.arguments = arguments
    if !isWaiting { _ = fcntl(input.fileHandleForReading.fileDescriptor, F_SETFL, O_NONBLOCK) }
    process.standardInput = input
    process.standardOutput = output
    if let outputPath { process.standardOutput = FileHandle(forWritingAtPath: outputPath) }
    if !isRead {
      let unread = Pipe()
      try unread.fileHandleForReading.close()
      process.standardOutput = unread
    }
    process.standardError = output
    running = try RunningProcess(process)
  }

  deinit {
    if process.isRunning { running.kill() }
  }

  func type(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Waits for a line of output. Returns the lines up to this line, or all lines if the output ends.
  func output(through last: String? = nil) async -> [String] {
    var output: [String] = []
    for await line in lines {
      output.append(line)
      if line == last { break }
    }
    return output
  }

  func kill() async {
    running.kill()
    await running.waitForEnd()
  }

  /// Waits for the end of the process.
  ///
  /// - Parameter endsInput: Whether to end the input first.
  func exitCode(endsInput: Bool = true) async throws -> Int32 {
    if endsInput { try input.fileHandleForWriting.close() }
    await running.waitForEnd()
    return process.terminationStatus
  }

  /// A separate thread reads the pipe, so that the tasks of other tests don't wait.
  private static func lines(of pipe: Pipe) -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      var rest = Data()
      while case let data = pipe.fileHandleForReading.nextBytes(), !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      continuation.finish()
    }
    return lines
  }
}
