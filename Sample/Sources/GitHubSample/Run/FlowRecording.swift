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
      DispatchLogger(format: .jsonLines, to: try OutputFile(url).emptied())
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
