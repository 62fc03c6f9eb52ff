import Foundation

extension Data {
  /// Writes this in place of what a file has, all or nothing.
  ///
  /// What is there and no file, such as a pipe or `/dev/stdout`, is written into: to write all or nothing
  /// is to put another file in its place.
  func replaceContents(of url: URL) throws {
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    let isFile = attributes.map { $0[.type] as? FileAttributeType == .typeRegular } ?? true
    try write(to: url, options: isFile ? .atomic : [])
  }
}
