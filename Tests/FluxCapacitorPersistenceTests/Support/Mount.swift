import FluxCapacitorTestSupport
import Foundation

/// A file system in memory, mounted at a folder until this object is released.
final class Mount: Sendable {
  /// Whether this process may mount file systems.
  static let isPossible: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    return (try? Mount(at: folder, options: "size=64k")) != nil
  }()

  private let folder: TemporaryFolder

  init(at folder: TemporaryFolder, options: String) throws {
    self.folder = folder
    try Mount.run("mount", "-t", "tmpfs", "-o", "mode=700,\(options)", "none", folder.url.path)
  }

  deinit { try? Mount.run("umount", folder.url.path) }

  func remount(options: String) throws {
    try Mount.run("mount", "-o", "remount,\(options)", folder.url.path)
  }

  private static func run(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableNotLoadable) }
  }
}
