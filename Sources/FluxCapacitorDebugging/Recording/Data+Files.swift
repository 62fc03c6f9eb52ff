import Foundation

extension Data {
  /// Writes this in place of what a file has, all or nothing.
  ///
  /// What is there and no file, such as a pipe or `/dev/stdout`, is written into: to write all or nothing
  /// is to put another file in its place.
  func replaceContents(of url: URL) throws {
    let manager = FileManager.default
    let former = try? manager.attributesOfItem(atPath: url.path)
    let isFile = former.map { $0[.type] as? FileAttributeType == .typeRegular } ?? true
    try write(to: url, options: isFile ? .atomic : [])
    // Nobody may read it who could not before.
    if isFile, let permissions = former?[.posixPermissions] {
      try manager.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
    }
  }
}
