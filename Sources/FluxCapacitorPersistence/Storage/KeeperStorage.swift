import Foundation

/// A place outside of the process for the values of a ``Keeper``, such as a database that several servers share.
///
/// A storage keeps, for each name, the contents that a file of this name would have, and a revision. A revision is any text
/// that belongs to one write, such as a number that each write of the name increases.
///
/// ```swift
/// actor Drawer: KeeperStorage {
///   private var drawer: [String: StoredContents] = [:]
///
///   func read(_ name: String) -> StoredContents? { drawer[name] }
///
///   func write(_ writes: [StorageWrite]) -> [String: String] {
///     var revisions: [String: String] = [:]
///     for write in writes where drawer[write.name]?.revision == write.replacing {
///       if let contents = write.contents {
///         drawer[write.name] = StoredContents(contents, revision: UUID().uuidString)
///       }
///       revisions[write.name] = drawer[write.name]?.revision ?? ""
///     }
///     return revisions
///   }
/// }
/// ```
///
/// The keeper calls the methods from any task, and several reads at the same time. It calls `write` again only after the
/// former call has ended, so both methods must end with an error if the storage doesn't answer.
public protocol KeeperStorage: Sendable {
  /// Returns the newest contents of a name, or nil if nothing was written.
  ///
  /// - Throws: Any error. ``Keeper/load(_:key:on:)`` then fails with ``KeeperFailure/Cause/storage(_:)``, or with the
  ///   `CancellationError` if its task was cancelled.
  func read(_ name: String) async throws -> StoredContents?

  /// Writes contents in one transaction, except for those whose revision is no longer current.
  ///
  /// The other contents are written even if some aren't. When the method returns, they survive a crash of the storage.
  ///
  /// After an error, the keeper tries each contents alone, so that one that the storage refuses doesn't concern the others.
  ///
  /// - Parameter writes: The contents to write, in the same order in each keeper. Each name occurs once.
  /// - Returns: The new revision of each name, or any text for a write without contents. A name whose revision was not
  ///   current is missing.
  /// - Throws: Any error. It's unknown then whether the contents were written, and the keeper finds out when it tries
  ///   again.
  func write(_ writes: [StorageWrite]) async throws -> [String: String]
}

/// The contents of a name in a ``KeeperStorage``.
public struct StoredContents: Equatable, Sendable {
  /// The contents, which are a text in UTF-8 as in a file.
  public var contents: Data

  /// The text that belongs to the write of these contents.
  public var revision: String

  /// Creates contents with a revision.
  public init(_ contents: Data, revision: String) {
    self.contents = contents
    self.revision = revision
  }
}

/// Contents to write to a ``KeeperStorage``.
public struct StorageWrite: Equatable, Sendable {
  /// The name, for example `rooms.key-general.json`. It has at most 230 bytes.
  public var name: String

  /// The new contents, or nil to write nothing, and only learn whether the revision is current.
  public var contents: Data?

  /// The revision that must be current, or nil if nothing may have been written yet.
  public var replacing: String?

  /// Creates a write.
  public init(name: String, contents: Data?, replacing: String?) {
    self.name = name
    self.contents = contents
    self.replacing = replacing
  }
}
