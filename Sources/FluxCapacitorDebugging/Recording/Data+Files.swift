import Foundation

extension Data {
  /// Atomically replaces the contents of a file with this data.
  ///
  /// If the URL names a pipe or a device, such as `/dev/stdout`, the method writes into the pipe or the
  /// device. An atomic write would replace the pipe or the device with a regular file.
  func replaceContents(of url: URL) throws {
    let manager = FileManager.default
    let former = try? manager.attributesOfItem(atPath: url.path)
    let isFile = former.map { $0[.type] as? FileAttributeType == .typeRegular } ?? true
    try write(to: url, options: isFile ? .atomic : [])
    // The new file keeps the old file's permissions, so that the contents of a private file stay private.
    if isFile, let permissions = former?[.posixPermissions] {
      try manager.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
    }
  }
}
