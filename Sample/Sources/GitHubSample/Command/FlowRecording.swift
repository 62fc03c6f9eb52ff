import FluxCapacitor
import FluxCapacitorDebugging
import Foundation

/// Writes what the flow of data does, to the files that the command line names.
struct FlowRecording {
  /// A file could not be written.
  struct Failure: Error {
    let path: String
    let cause: any Error

    var message: String {
      "\(DisplayText.oneLine(path)) could not be written: \(DisplayText.clause(cause.localizedDescription))."
    }
  }

  private let logger: DispatchLogger?
  private let circuits: TimeCircuits?
  private let explorerPath: String?

  /// Begins to record.
  init(_ options: CommonOptions) throws(Failure) {
    logger = try options.logPath.map { path throws(Failure) in
      do {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        return DispatchLogger(format: .jsonLines, to: file)
      } catch {
        throw Failure(path: path, cause: error)
      }
    }
    explorerPath = options.explorerPath
    circuits = explorerPath.map { _ in TimeCircuits() }
  }

  /// Writes what is to be written at the end.
  func finish(title: String) throws(Failure) {
    guard let circuits, let explorerPath else { return }
    do {
      try FlowExplorer(circuits, title: title)
        .write(to: URL(fileURLWithPath: explorerPath))
    } catch {
      throw Failure(path: explorerPath, cause: error)
    }
    withExtendedLifetime(logger) {}
  }
}
