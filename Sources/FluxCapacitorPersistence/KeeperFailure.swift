import Foundation

/// Says why a keeper can't open a folder, restore a store or save one.
///
/// A keeper leaves a file alone if it can't restore a store from it. So after each failure, the data is still there, and
/// the ``description`` says what to do.
///
/// The description shows no saved value, unless that of your own error contains one. Of Foundation's errors, and of errors
/// inside others, it shows only the kind.
public struct KeeperFailure: Error, Equatable, Sendable {
  /// The file, or the folder if the failure concerns the whole folder.
  ///
  /// The values of a storage count as files in the folder `/storage`.
  public let file: URL

  /// The version of the saved type that the file's value has or, after a failed save, the value to save.
  public let version: Int?

  /// The cause of the failure.
  public let cause: Cause

  /// The cause of a failure.
  public enum Cause: Error, Equatable, Sendable {
    /// Another keeper, probably in another process, saves to the folder.
    case inUse

    /// The folder is missing: it has been moved or removed, or this keeper follows another one, and doesn't create it.
    case folderMissing

    /// Other users can write to the folder, which has these permissions.
    case writableByOthers(permissions: Int)

    /// A symbolic link, a folder or a pipe has the file's name.
    case notAFile

    /// A system call has failed. For example, the disk is full.
    case system(call: String, code: Int32)

    /// The file has lost a part, or contains bytes that no keeper has written.
    case damaged(String)

    /// The file is missing, although its previous generation exists.
    case fileMissing

    /// The file is whole, but its value can't be decoded as the saved type of its version.
    case notDecodable(String)

    /// The store has refused the file's value: its ``Persistable/restore(_:)`` has thrown an error.
    case refused(String)

    /// The archive has no migration from the file's version.
    case noMigration

    /// The migration from the file's version has thrown an error.
    case migrationFailed(String)

    /// A newer version of the application has written the file. `known` is the newest known version.
    case newerVersion(known: Int)

    /// A newer version of this library has written the file. `known` is the newest known format.
    case newerFormat(known: Int)

    /// The store's value can't be encoded.
    case notEncodable(String)

    /// The store already existed before the keeper opened it.
    case storeExists(String)

    /// The archive's name is too long for the names of its files. With this store or key, it may have `limit` bytes.
    case nameTooLong(limit: Int)

    /// Another keeper has replaced the store's value in the storage, so that this keeper can't save the store any more.
    case superseded

    /// The storage has thrown an error.
    case storage(String)

    /// The keeper is closed.
    case closed
  }
}

extension KeeperFailure: CustomStringConvertible, LocalizedError {
  /// The ``failureReason``, followed by the ``recoverySuggestion``.
  public var description: String {
    [failureReason, recoverySuggestion].compactMap(\.self).joined(separator: " ")
  }

  /// The ``description``.
  public var errorDescription: String? { description }

  /// A sentence with the file, its version and the cause.
  public var failureReason: String? {
    let name = version.map { "\(file.path) (version \($0))" } ?? file.path
    switch cause {
    case .inUse: return "Another keeper saves to \(name)."
    case .folderMissing: return "\(file.path) can't be used, because the folder is missing."
    case .writableByOthers(let permissions):
      return """
        Other users can write to \(name), which has the permissions \(String(permissions, radix: 8)).
        """
    case .notAFile: return "\(name) isn't a regular file."
    case .system(let call, let code):
      return "\(call) has failed for \(name): \(String(cString: strerror(code))) (error \(code))."
    case .damaged(let reason): return "\(name) is damaged: \(reason)."
    case .fileMissing: return "\(name) is missing, but its previous generation exists."
    case .notDecodable(let reason): return "\(name) can't be decoded: \(reason)."
    case .refused(let reason): return "The store has refused the value in \(name): \(reason)."
    case .noMigration: return "The archive has no migration for \(name)."
    case .migrationFailed(let reason): return "\(name) can't be migrated: \(reason)."
    case .newerVersion(let known):
      return """
        A newer version of the application has written \(name). The newest known version is \(known).
        """
    case .newerFormat(let known):
      return """
        A newer version of FluxCapacitorPersistence has written \(name). The newest known format is \
        \(known).
        """
    case .notEncodable(let reason): return "The value for \(name) can't be encoded: \(reason)."
    case .storeExists(let type): return "A \(type) already existed when a keeper opened \(name)."
    case .nameTooLong: return "The name of the archive of \(name) is too long."
    case .superseded: return "Another keeper has replaced the value of \(name)."
    case .storage(let reason): return "The storage has failed for \(name): \(reason)."
    case .closed: return "The keeper of \(name) is closed."
    }
  }

  static let checksumMismatch = "the checksum doesn't match the contents"

  /// A sentence with advice for the application's developer, or nil if there is nothing to do.
  public var recoverySuggestion: String? {
    switch cause {
    case .inUse: "Close the other keeper first, or open this keeper as a follower."
    case .folderMissing:
      "Move the folder back, or open a new saving keeper, which creates the folder."
    case .writableByOthers: "Choose another folder, or remove the permissions with chmod go-w."
    case .notAFile: "Move the file away, or choose another folder."
    case .system: nil
    case .damaged(let reason) where reason == KeeperFailure.checksumMismatch:
      """
      Restore the previous generation. If you have edited the file by hand, remove the line with the \
      checksum.
      """
    case .damaged, .fileMissing, .refused: "Restore the previous generation, or repair the file."
    case .notDecodable: "Increase the archive's version, and add a migration from the older type."
    case .noMigration: "Add a migration from this version to the archive."
    case .migrationFailed: nil
    case .newerVersion, .newerFormat: "Update the application."
    case .notEncodable: "Change the saved type so that each value can be encoded."
    case .storeExists:
      """
      Call open or load instead of instantiate for the first use of the store, and release older \
      stores.
      """
    case .nameTooLong(let limit): "Shorten the archive's name to \(limit) bytes in UTF-8."
    case .superseded: "Close the store, and open it again with its newest value."
    case .storage: nil
    case .closed: "Create a new keeper."
    }
  }
}

/// An application's decision about a file from which a store can't be restored.
public enum Recovery: Sendable {
  /// Restores the previous generation of the file, for example `notes.previous`.
  ///
  /// The file gets a new name, for example `notes.aside-1.json`.
  case restorePrevious

  /// Starts with a store that has its initial values.
  ///
  /// The file and its previous generation get new names, for example `notes.aside-1.json` and
  /// `notes.aside-1.previous`.
  case startFresh
}
