import Foundation

/// A folder for one test, which is removed with this object.
package final class TemporaryFolder: Sendable {
  package let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("FluxCapacitorTests-\(UUID())")

  package init() throws {
    // A keeper rejects a folder to which other users can write.
    try FileManager.default.createDirectory(
      at: url,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The sorted names of the files in this folder.
  package var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: url.path))?.sorted() ?? []
  }

  package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  package func text(of name: String) throws -> String {
    try String(contentsOf: file(name), encoding: .utf8)
  }

  package func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: file(name))
  }

  package func setPermissions(_ permissions: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
  }
}
