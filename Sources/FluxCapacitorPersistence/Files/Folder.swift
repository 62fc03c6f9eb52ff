import Foundation

/// A keeper's folder, in which a file always holds a whole state.
///
/// Each system call is repeated if a signal has interrupted it.
final class Folder: Sendable {
  let url: URL
  private let descriptor: Int32
  private let system: any FileSystem

  /// Opens a folder.
  ///
  /// - Parameter isWriter: Whether to create a missing folder, and to lock the folder for this object.
  init(_ url: URL, _ system: any FileSystem, isWriter: Bool) throws(KeeperFailure) {
    let url = url.standardizedFileURL
    self.url = url
    self.system = system
    do {
      if isWriter { try Folder.make(url, system) }
      descriptor = try repeating(try system.openFolder(url.path))
      let permissions = Int(try repeating(try system.status(of: descriptor)).st_mode & 0o7777)
      if permissions & 0o022 != 0 {
        throw KeeperFailure.Cause.writableByOthers(permissions: permissions)
      }
      if isWriter { try repeating(try system.lock(descriptor)) }
    } catch {
      throw KeeperFailure(url, nil, error)
    }
  }

  // If the initializer fails after the folder was opened, the deinitializer runs too.
  deinit {
    // A child process that was started at this moment still has the descriptor, and so the lock.
    try? repeating(try system.unlock(descriptor))
    try? system.close(descriptor)
  }

  /// Creates a folder and its missing parents, so that they are on the disk afterward.
  private static func make(
    _ url: URL,
    _ system: any FileSystem,
    hasParent: Bool = false
  ) throws(SystemError) {
    do throws(SystemError) {
      try repeating(try system.makeFolder(url.path))
    } catch {
      switch error.code {
      case EEXIST, EISDIR: return
      case ENOENT where !hasParent && url.path != "/":
        try make(url.deletingLastPathComponent(), system)
        // Another keeper might make the same folder now.
        return try make(url, system, hasParent: true)
      default: throw error
      }
    }
    let parent = try repeating(try system.openFolder(url.deletingLastPathComponent().path))
    defer { try? system.close(parent) }
    try repeating(try system.synchronize(parent))
  }

  /// Throws an error if another folder, or none, has this folder's path. Files in a folder that was moved
  /// away would never be found again.
  func checkPlace() throws(SystemError) {
    let other = try repeating(try system.openFolder(url.path))
    defer { try? system.close(other) }
    let places = (
      try repeating(try system.status(of: other)),
      try repeating(try system.status(of: descriptor))
    )
    if FileIdentity(places.0) != FileIdentity(places.1) { throw .noFolder }
  }

  func url(of file: String) -> URL { url.appendingPathComponent(file) }

  /// Returns the contents of a file, or nil if the file is missing.
  func contents(of name: String) throws(SystemError) -> Data? {
    let file: Int32
    do throws(SystemError) {
      file = try repeating(try system.open(name, in: descriptor))
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
    defer { try? system.close(file) }
    let mode = try repeating(try system.status(of: file)).st_mode
    guard mode & S_IFMT == S_IFREG else { throw .notAFile }
    return try readAll(file)
  }

  private func readAll(_ file: Int32) throws(SystemError) -> Data {
    var data = Data()
    while true {
      let part = try repeating(try readPart(of: file))
      if part.isEmpty { return data }
      data.append(contentsOf: part)
    }
  }

  private func readPart(of file: Int32) throws(SystemError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = buffer.withUnsafeMutableBytes { bytes in
      Result { () throws(SystemError) in try system.read(file, into: bytes) }
    }
    return Array(buffer[..<(try count.get())])
  }

  /// Writes the beginning of the data, and returns the number of written bytes.
  private func writePart(_ data: Data, to file: Int32) throws(SystemError) -> Int {
    let count = data.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try system.write(file, bytes) }
    }
    return try count.get()
  }

  /// Whether the folder was deleted, and not only moved away.
  var isDeleted: Bool { (try? repeating(try system.status(of: descriptor)))?.st_nlink == 0 }

  /// Writes a file's next contents, the first of three steps that replace a file.
  ///
  /// If a step throws an error, or the process ends, the current name belongs to the old file or to the new one. The new
  /// name is on the disk after `synchronizeNames()`.
  ///
  /// | Completed step | current | previous |
  /// |---|---|---|
  /// | `prepare`: the contents are on the disk | old | older |
  /// | `keepPrevious` | old | old |
  /// | `replace` | new | old |
  func prepare(_ name: FileName, _ data: Data) throws(SystemError) {
    try write(data, to: name.temporary)
  }

  /// Gives the prepared contents the file's name.
  func replace(_ name: FileName) throws(SystemError) {
    try repeating(try system.rename(name.temporary, to: name.current, in: descriptor))
  }

  private func write(_ data: Data, to name: String) throws(SystemError) {
    try removeIfPresent(name)
    let file = try repeating(try system.create(name, in: descriptor))
    var isOpen = true
    do throws(SystemError) {
      var rest = data
      while !rest.isEmpty {
        rest = rest.dropFirst(try repeating(try writePart(rest, to: file)))
      }
      try repeating(try system.synchronize(file))
      // After a failed `close`, the descriptor is closed nevertheless.
      isOpen = false
      do { try system.close(file) } catch  where error.code == EINTR {}
    } catch {
      if isOpen { try? system.close(file) }
      // The part that has been written must not fill the disk.
      try? system.remove(name, in: descriptor)
      throw error
    }
  }

  /// Makes the current file the previous generation too.
  func keepPrevious(of name: FileName) throws(SystemError) {
    let new = name.temporaryPrevious
    try removeIfPresent(new)
    do throws(SystemError) {
      try repeating(try system.link(name.current, to: new, in: descriptor))
    } catch {
      switch error.code {
      case ENOENT: return
      case EPERM, EACCES, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK:
        // The file system has no links, or the file's name belongs to a folder.
        guard let data = try contents(of: name.current) else { return }
        try write(data, to: new)
      default: throw error
      }
    }
    try repeating(try system.rename(new, to: name.previous, in: descriptor))
    // If both names already belonged to the same file, `rename` has done nothing.
    try removeIfPresent(new)
  }

  /// Gives a file and its previous generation names that no file has.
  ///
  /// As long as the file has its name, a new keeper finds the same failure, and asks for the same decision. So
  /// the previous generation is renamed first.
  func setAside(_ name: FileName) throws(SystemError) {
    let number = try freeNumber(for: name)
    try renameIfPresent(name.previous, to: name.asidePrevious(number))
    try renameIfPresent(name.current, to: name.aside(number))
    try synchronizeNames()
  }

  /// Makes the previous generation of a file the current one, and gives the file a name that no file has.
  func restorePrevious(of name: FileName, _ previous: Data) throws(SystemError) {
    let aside = name.aside(try freeNumber(for: name))
    try write(previous, to: name.temporary)
    do throws(SystemError) {
      try repeating(try system.link(name.current, to: aside, in: descriptor))
    } catch {
      // The file is missing, is a folder, or is in a file system without links.
      try renameIfPresent(name.current, to: aside)
    }
    try repeating(try system.rename(name.temporary, to: name.current, in: descriptor))
    try synchronizeNames()
  }

  private func freeNumber(for name: FileName) throws(SystemError) -> Int {
    var number = 1
    while true {
      let files = (
        try identity(of: name.aside(number)), try identity(of: name.asidePrevious(number))
      )
      if files.0 == nil, files.1 == nil { return number }
      number += 1
    }
  }

  /// Whether the folder has neither the current file nor its previous generation.
  func hasNoFile(of name: FileName) throws(KeeperFailure) -> Bool {
    try failing(with: name.current) { () throws(SystemError) in
      let files = (try identity(of: name.current), try identity(of: name.previous))
      return files.0 == nil && files.1 == nil
    }
  }

  /// Calls a closure, and throws its error as the failure of a file.
  func failing<Result>(
    with file: String,
    _ body: () throws(SystemError) -> Result
  ) throws(KeeperFailure) -> Result {
    do {
      return try body()
    } catch {
      throw KeeperFailure(url(of: file), nil, error)
    }
  }

  /// Returns a value that only the file with this name has, or nil if the file is missing.
  func identity(of name: String) throws(SystemError) -> FileIdentity? {
    do throws(SystemError) {
      return FileIdentity(try repeating(try system.status(of: name, in: descriptor)))
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  func watch(
    _ onChange: @escaping @Sendable (_ files: [String]?) -> Void
  ) throws(SystemError) -> AnyObject & Sendable {
    try system.watch(descriptor, at: url.path, onChange: onChange)
  }

  /// Puts the names of all files on the disk.
  func synchronizeNames() throws(SystemError) {
    try repeating(try system.synchronize(descriptor))
  }

  private func removeIfPresent(_ name: String) throws(SystemError) {
    do throws(SystemError) {
      try repeating(try system.remove(name, in: descriptor))
    } catch {
      if error.code != ENOENT { throw error }
    }
  }

  private func renameIfPresent(_ name: String, to newName: String) throws(SystemError) {
    do throws(SystemError) {
      try repeating(try system.rename(name, to: newName, in: descriptor))
    } catch {
      if error.code != ENOENT { throw error }
    }
  }
}

/// Makes a system call again until no signal interrupts the call.
@discardableResult
private func repeating<Result>(
  _ call: @autoclosure () throws(SystemError) -> Result
) throws(SystemError) -> Result {
  while true {
    do throws(SystemError) {
      return try call()
    } catch {
      if error.code != EINTR { throw error }
    }
  }
}
