import Foundation

extension Data {
  /// Replaces the contents of a file with this data, all or nothing.
  ///
  /// A pipe or a device, such as `/dev/stdout`, is written into instead. To write all or nothing would put a
  /// file in its place.
  func replaceContents(of url: URL) throws {
    let manager = FileManager.default
    let former = try? manager.attributesOfItem(atPath: url.path)
    let isFile = former.map { $0[.type] as? FileAttributeType == .typeRegular } ?? true
    try write(to: url, options: isFile ? .atomic : [])
    // The new file keeps the permissions of the old one, so that no other user can read it.
    if isFile, let permissions = former?[.posixPermissions] {
      try manager.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
    }
  }
}
