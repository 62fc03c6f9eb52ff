import Foundation

/// A folder for one test, which is removed with this object. A keeper creates the folder.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")

  deinit { try? FileManager.default.removeItem(at: url) }
}
