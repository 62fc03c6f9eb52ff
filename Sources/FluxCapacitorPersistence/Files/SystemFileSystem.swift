#if canImport(Darwin)
  import Darwin
#endif
import Dispatch
import Foundation

/// The file system of the operating system.
package struct SystemFileSystem: FileSystem {
  package init() {}

  package func makeFolder(_ path: String) throws(SystemError) {
    try check("mkdir", mkdir(path, 0o700))
  }

  package func openFolder(_ path: String) throws(SystemError) -> Int32 {
    try check("open folder", Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
  }

  package func lock(_ folder: Int32) throws(SystemError) {
    try check("flock", flock(folder, LOCK_EX | LOCK_NB))
  }

  package func unlock(_ folder: Int32) throws(SystemError) {
    try check("flock", flock(folder, LOCK_UN))
  }

  package func status(of file: Int32) throws(SystemError) -> stat {
    var status = stat()
    try check("fstat", fstat(file, &status))
    return status
  }

  package func status(of name: String, in folder: Int32) throws(SystemError) -> stat {
    var status = stat()
    try check("fstatat", fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
    return status
  }

  package func open(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
    // Without `O_NONBLOCK`, opening a pipe would wait for a writer.
    try check("open", openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
  }

  package func create(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
    let options = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    return try check("open", openat(folder, name, options, 0o600))
  }

  package func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError)
    -> Int
  {
    try check("read", Foundation.read(file, buffer.baseAddress, buffer.count))
  }

  package func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    try check("write", Foundation.write(file, bytes.baseAddress, bytes.count))
  }

  package func synchronize(_ file: Int32) throws(SystemError) {
    #if canImport(Darwin)
      // On Apple's systems, `fsync` leaves the data in the disk's cache. Some file systems support only
      // `fsync`.
      if fcntl(file, F_FULLFSYNC) == 0 { return }
      guard [ENOTSUP, ENOTTY, EINVAL].contains(errno) else { throw SystemError("fsync") }
    #endif
    try check("fsync", fsync(file))
  }

  package func rename(_ name: String, to newName: String, in folder: Int32) throws(SystemError) {
    try check("rename", renameat(folder, name, folder, newName))
  }

  package func link(_ name: String, to newName: String, in folder: Int32) throws(SystemError) {
    try check("link", linkat(folder, name, folder, newName, 0))
  }

  package func remove(_ name: String, in folder: Int32) throws(SystemError) {
    try check("unlink", unlinkat(folder, name, 0))
  }

  package func close(_ file: Int32) throws(SystemError) {
    try check("close", Foundation.close(file))
  }

  package func watch(
    _ folder: Int32,
    at path: String,
    onChange: @escaping @Sendable (_ files: [String]?) -> Void
  ) throws(SystemError) -> AnyObject & Sendable {
    #if canImport(Darwin)
      let descriptor = try openFolder(path)
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor,
        eventMask: [.write, .rename, .delete]
      )
      source.setEventHandler { onChange(nil) }
    #else
      let descriptor = try check("inotify_init1", inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)))
      do {
        // Each save ends by renaming a file.
        try check(
          "inotify_add_watch",
          inotify_add_watch(
            descriptor,
            path,
            UInt32(IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE | IN_ATTRIB)
          )
        )
      } catch {
        _ = Foundation.close(descriptor)
        throw error
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
      source.setEventHandler {
        var files: [String]? = []
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
          while case let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count),
            count > 0
          {
            let changed = names(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            files = changed.flatMap { names in files.map { $0 + names } }
          }
        }
        onChange(files)
      }
    #endif
    source.setCancelHandler { _ = Foundation.close(descriptor) }
    source.resume()
    return FolderWatch(source)
  }

  @discardableResult
  private func check<Result: SignedInteger>(
    _ call: String,
    _ result: Result
  ) throws(SystemError) -> Result {
    if result < 0 { throw SystemError(call) }
    return result
  }
}

/// Ends a watch when it is released.
private final class FolderWatch: Sendable {
  private let cancel: @Sendable () -> Void

  init(_ source: any DispatchSourceProtocol) {
    nonisolated(unsafe) let source = source
    cancel = { source.cancel() }
  }

  deinit { cancel() }
}

#if !canImport(Darwin)
  /// Returns the names in a list of the kernel's events, or nil if an event has none, because it's one of the folder or tells
  /// the loss of others.
  private func names(in events: UnsafeRawBufferPointer) -> [String]? {
    var (names, rest): ([String], _) = ([], events[...])
    while !rest.isEmpty {
      let event = UnsafeRawBufferPointer(rebasing: rest).load(as: inotify_event.self)
      rest = rest.dropFirst(MemoryLayout<inotify_event>.size)
      let name = rest.prefix(Int(event.len)).prefix { $0 != 0 }
      if name.isEmpty { return nil }
      names.append(String(decoding: name, as: UTF8.self))
      rest = rest.dropFirst(Int(event.len))
    }
    return names
  }
#endif
