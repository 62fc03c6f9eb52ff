import FluxCapacitorTestSupport
import Foundation

extension TemporaryFolder {
  /// The contents of all files by their names.
  var contents: [String: Data] {
    get throws {
      try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: file($0))) })
    }
  }

  /// Returns whether the notes' file contains a text.
  func contains(_ text: String) throws -> Bool {
    names.contains("notes.json") ? try self.text(of: "notes.json").contains(text) : false
  }

  func permissions(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
    return try (attributes[.posixPermissions] as? Int).orThrow()
  }

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
