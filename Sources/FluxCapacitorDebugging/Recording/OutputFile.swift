import Foundation

/// The file, pipe or device at the end of a path's symbolic links.
struct OutputFile {
  private let url: URL
  private var path: String

  /// The file of the open descriptor that a path such as `/dev/stdout` names. Opening the path again would overwrite what
  /// this process, or another one, has already written to the file.
  private var opened: FileHandle? {
    let descriptor =
      ["/dev/stdout": 1, "/dev/stderr": 2][path]
      ?? path.wholeMatch(of: /\/(?:dev|proc\/self)\/fd\/(\d+)/).flatMap { CInt($0.1) }
    return descriptor.map { FileHandle(fileDescriptor: $0, closeOnDealloc: false) }
  }

  init(_ url: URL) {
    (self.url, path) = (url, url.path)
    // The system follows as many links.
    for _ in 0..<40 where opened == nil {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        break
      }
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      path = target.hasPrefix("/") ? target : "\(folder)/\(target)"
    }
  }

  /// Atomically replaces the contents of a file with data, or writes the data into a pipe, a device or an open descriptor.
  ///
  /// An atomic write would replace a pipe or a device with a regular file.
  func write(_ data: Data) throws {
    if url.scheme != nil, !url.isFileURL {
      throw CocoaError(.fileWriteUnsupportedScheme)
    }
    if let opened { return try withoutFileSignals { try opened.write(contentsOf: data) } }
    let former = try? FileManager.default.attributesOfItem(atPath: path)
    let isFile = former.map { $0[.type] as? FileAttributeType == .typeRegular } ?? true
    let permissions = former?[.posixPermissions] as? Int
    try withoutFileSignals {
      if isFile, let permissions { return try replace(with: data, mode_t(permissions)) }
      try data.write(to: URL(fileURLWithPath: path), options: isFile ? .atomic : [])
    }
  }

  /// Replaces a file with a new one that has the old one's permissions before it has contents, so that the contents of a
  /// private file stay private.
  private func replace(with data: Data, _ permissions: mode_t) throws {
    var name = Array("\(path)-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    if descriptor < 0 { throw POSIXError.last }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      if fchmod(descriptor, permissions) < 0 { throw POSIXError.last }
      try file.write(contentsOf: data)
      if rename(name, path) < 0 { throw POSIXError.last }
    } catch {
      unlink(name)
      throw error
    }
  }
}
