import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import Foundation
import Testing

extension TemporaryFolder {
  /// The contents of all files by their names.
  var contents: [String: Data] {
    get throws {
      try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: file($0))) })
    }
  }

  /// Saves two generations of notes, of which the newest contains "first" and "second".
  ///
  /// - Parameter directory: The folder to save to. By default, it is this folder.
  func saveTwoGenerations(to directory: URL? = nil) async throws {
    let dispatcher = Dispatcher()
    let keeper = try Keeper(directory: directory ?? url, dispatcher: dispatcher)
    let store = try keeper.open(NotesStore.self)
    NotesAction(dispatcher).add("first")
    try await keeper.flush()
    NotesAction(dispatcher).add("second")
    try await keeper.close()
    withExtendedLifetime(store) {}
  }

  /// Returns whether the notes' file contains a text.
  func contains(_ text: String) throws -> Bool {
    names.contains("notes.json") ? try self.text(of: "notes.json").contains(text) : false
  }

  func permissions(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  /// Returns the number of a file, which changes when a new file replaces it.
  func inode(of name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
    return try #require(attributes[.systemFileNumber] as? Int)
  }
}
