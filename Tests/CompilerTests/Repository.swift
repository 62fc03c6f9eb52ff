import Foundation

/// The files of this package.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The documents except for the sample's README, which has separate tests.
  static let documents =
    ["README.md", "MIGRATION.md", ".github/CONTRIBUTING.md"] + files(in: "Sources", "md").map(path)

  /// Returns the path of a file, relative to the root of the package.
  static func path(of file: URL) -> String {
    String(file.path.dropFirst(root.resolvingSymlinksInPath().path.count + 1))
  }

  /// Returns the Swift files in a folder and its subfolders, sorted by path.
  static func swiftFiles(in path: String) -> [URL] { files(in: path, "swift") }

  private static func files(in path: String, _ pathExtension: String) -> [URL] {
    let folder = root.appendingPathComponent(path).resolvingSymlinksInPath()
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? [])
      .filter { $0.pathExtension == pathExtension }
      .sorted { $0.path < $1.path }
  }
}
