import FluxCapacitorPersistence
import Foundation

/// A folder for one test, which is removed with this object.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    let name = "FluxCapacitorPersistenceTests-\(UUID().uuidString)"
    url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    // A keeper refuses a folder that others can write to, whichever default permissions this process has.
    try FileManager.default.createDirectory(
      at: url,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: url.path))?.sorted() ?? []
  }

  /// The contents of all files by their names.
  var contents: [String: Data] {
    get throws {
      try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: file($0))) })
    }
  }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  func text(_ name: String) throws -> String { try String(contentsOf: file(name), encoding: .utf8) }

  /// Returns whether the notes' file contains a text.
  func contains(_ text: String) throws -> Bool {
    names.contains("notes.json") ? try self.text("notes.json").contains(text) : false
  }

  func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: file(name)) }

  func permissions(_ name: String = "") throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
    return try (attributes[.posixPermissions] as? Int).orThrow()
  }
}

extension TemporaryFolder {
  /// Returns the number of a file, which changes when a new file replaces it.
  func inode(of name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
    return try (attributes[.systemFileNumber] as? Int).orThrow()
  }
}

extension Optional {
  func orThrow() throws -> Wrapped {
    guard let self else { throw CocoaError(.fileReadUnknown) }
    return self
  }
}
