import Foundation

/// The system calls of a keeper. A method makes one call, and doesn't repeat the call.
///
/// Tests replace the system's file system by one that fails on demand.
package protocol FileSystem: Sendable {
  /// Creates a folder that only its owner can use.
  func makeFolder(_ path: String) throws(SystemError)

  /// Opens a folder, and returns its descriptor.
  func openFolder(_ path: String) throws(SystemError) -> Int32

  /// Takes the lock of a folder until its descriptor is closed. The method throws `EWOULDBLOCK` if another
  /// descriptor holds the lock.
  func lock(_ folder: Int32) throws(SystemError)

  /// Gives up the lock of a folder, if this descriptor holds the lock.
  func unlock(_ folder: Int32) throws(SystemError)

  /// Returns the status of an open file or folder, which has no links after its deletion.
  func status(of file: Int32) throws(SystemError) -> stat

  /// Returns the status of the file or the symbolic link with a name.
  func status(of name: String, in folder: Int32) throws(SystemError) -> stat

  /// Opens a file for reading. The method throws `ELOOP` if the name belongs to a symbolic link.
  func open(_ name: String, in folder: Int32) throws(SystemError) -> Int32

  /// Creates a file for writing that only its owner can read. The method throws `EEXIST` if the name is in
  /// use.
  func create(_ name: String, in folder: Int32) throws(SystemError) -> Int32

  /// Reads bytes, and returns their number, which is zero at the end of the file.
  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int

  /// Writes bytes, and returns the number of written bytes.
  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int

  /// Waits until a file's contents, or a folder's names, are on the disk.
  func synchronize(_ file: Int32) throws(SystemError)

  /// Renames a file, and replaces a file that has the new name.
  func rename(_ name: String, to newName: String, in folder: Int32) throws(SystemError)

  /// Gives a file a second name. The method throws `EEXIST` if the name is in use.
  func link(_ name: String, to newName: String, in folder: Int32) throws(SystemError)

  func remove(_ name: String, in folder: Int32) throws(SystemError)

  func close(_ file: Int32) throws(SystemError)

  /// Calls a closure after each change of a folder's names, until the returned object is released.
  ///
  /// The closure receives the changed names, or nil if any name or the folder itself might have changed.
  func watch(
    _ folder: Int32,
    at path: String,
    onChange: @escaping @Sendable (_ files: [String]?) -> Void
  ) throws(SystemError) -> AnyObject & Sendable
}

/// The numbers of a file's device and of the file on the device, which only this file has.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
}

/// The failure of a system call.
package struct SystemError: Error, Equatable {
  package let call: String
  package let code: Int32

  package init(_ call: String, _ code: Int32 = errno) {
    self.call = call
    self.code = code
  }
}

extension SystemError {
  /// The error for a name that belongs to a symbolic link, a folder or a pipe.
  static let notAFile = SystemError("open", ELOOP)

  /// The error for a folder that is missing, or that has been moved away.
  static let noFolder = SystemError("open folder", ENOENT)
}

extension KeeperFailure {
  /// Creates a failure from a cause or from the error of a system call.
  init(_ file: URL, _ version: Int?, _ error: any Error) {
    let cause: Cause =
      switch error {
      case let cause as Cause: cause
      case let error as SystemError where error == .notAFile: .notAFile
      case let error as SystemError where error.call == "flock" && error.code == EWOULDBLOCK: .inUse
      case let error as SystemError where error.call == "open folder" && error.code == ENOENT:
        .folderMissing
      case let error as SystemError: .system(call: error.call, code: error.code)
      default: .notEncodable("\(error)")
      }
    self.init(file: file, version: version, cause: cause)
  }
}
