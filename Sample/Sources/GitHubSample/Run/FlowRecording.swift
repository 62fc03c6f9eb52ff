import FluxCapacitor
import FluxCapacitorDebugging
import Foundation

/// Records the data flow, to the files that the options name or for a browser.
struct FlowRecording {
  private let options: CommonOptions
  private let logger: DispatchLogger?
  private let circuits: TimeCircuits?
  private let liveExplorer: LiveExplorer?

  /// Starts recording.
  init(_ options: CommonOptions) throws(CommandFailure) {
    self.options = options
    logger = try FlowRecording.writing(to: options.logPath) { url in
      // The file is opened once, because the reader of a pipe stops when the pipe is closed.
      let manager = FileManager.default
      if !manager.fileExists(atPath: url.path) { try Data().write(to: url) }
      let file = try FileHandle(forWritingTo: url)
      // A pipe can't be truncated.
      try? file.truncate(atOffset: 0)
      return DispatchLogger(format: .jsonLines, to: file)
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

  /// The address of the page that is served while the process runs, if there is one.
  var address: URL? { liveExplorer?.url }

  /// Writes the page, and throws if the page or the log could not be written.
  func finish(title: String) throws(CommandFailure) {
    try FlowRecording.writing(to: options.explorerPath) { url in
      if let circuits { try FlowExplorer(circuits, title: title).write(to: url) }
    }
    try FlowRecording.writing(to: options.logPath) { _ in
      if let failure = logger?.failure { throw failure }
    }
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
