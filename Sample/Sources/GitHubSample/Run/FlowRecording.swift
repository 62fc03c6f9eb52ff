import FluxCapacitor
import FluxCapacitorDebugging
import Foundation

/// Records the data flow of a command in files or for a browser, as the command's options say.
struct FlowRecording {
  private let options: CommonOptions
  private let logger: DispatchLogger?
  private let circuits: TimeCircuits?
  private let liveExplorer: LiveExplorer?

  /// Starts recording.
  init(_ options: CommonOptions) throws(CommandFailure) {
    self.options = options
    logger = try FlowRecording.writing(to: options.logPath) { url in
      // The log file is opened only once, because the reader of a named pipe stops when the writer
      // closes the pipe.
      DispatchLogger(format: .jsonLines, to: try FlowRecording.emptyFile(at: url))
    }
    let isExplored = options.explorerPath != nil || options.exploresLive
    circuits = isExplored ? TimeCircuits() : nil
    do {
      let circuits = options.exploresLive ? circuits : nil
      liveExplorer = try circuits.map { try LiveExplorer($0, title: "github-repos") }
    } catch {
      throw CommandFailure(message: error.localizedDescription.sanitized)
    }
  }

  /// The URL of the live page, or nil if the command serves no live page.
  var address: URL? { liveExplorer?.url }

  /// Writes the HTML page. This method throws if the page or the log could not be written.
  func finish(title: String) throws(CommandFailure) {
    try FlowRecording.writing(to: options.explorerPath) { url in
      if let circuits { try FlowExplorer(circuits, title: title).write(to: url) }
    }
    try FlowRecording.writing(to: options.logPath) { _ in
      if let failure = logger?.failure { throw failure }
    }
  }

  /// Opens a file without its former contents, or returns a standard stream.
  private static func emptyFile(at url: URL) throws -> FileHandle {
    var path = url.path
    // The system follows as many links.
    for _ in 0..<40 {
      let number =
        ["/dev/stdout": 1, "/dev/stderr": 2][path]
        ?? CInt(path.trimmingPrefix(/\/dev\/fd\/|\/proc\/self\/fd\//))
      // The shell has opened it. Another descriptor would overwrite what its file contains.
      if let number { return FileHandle(fileDescriptor: number, closeOnDealloc: false) }
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
      guard let target else { break }
      path = URL(fileURLWithPath: target, relativeTo: URL(fileURLWithPath: path)).path
    }
    if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
    let file = try FileHandle(forWritingTo: url)
    // Truncating a pipe fails, so this error is ignored.
    try? file.truncate(atOffset: 0)
    return file
  }

  private static func writing<Result>(
    to path: String?,
    _ body: (URL) throws -> Result
  ) throws(CommandFailure) -> Result? {
    guard let path else { return nil }
    do {
      return try body(URL(fileURLWithPath: path))
    } catch {
      let cause = error.localizedDescription.sanitizedClause
      throw CommandFailure(message: "\(path.sanitized) could not be written: \(cause).")
    }
  }
}
