import FluxCapacitor
import FluxCapacitorPersistence
import Foundation

/// A storage in memory, which several keepers of a test can share.
///
/// ```swift
/// let storage = MemoryStorage()
/// let keeper = Keeper(storage: storage, dispatcher: Dispatcher())
/// let notes = try await keeper.load(NotesStore.self)
/// ```
///
/// The storage fails on demand:
///
/// ```swift
/// storage.failWrites(with: POSIXError(.ENOSPC))
/// await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
/// storage.failWrites(with: nil)
/// ```
///
/// You can use a storage on any thread.
public final class MemoryStorage: KeeperStorage, @unchecked Sendable {
  // `lock` guards all variables.
  private let lock = Lock()
  private var values: [String: StoredContents] = [:]
  private var lastRevision = 0
  private var readError: (any Error)?
  private var writeError: (any Error)?
  private var losesAnswers = false

  /// Creates an empty storage.
  public init() {}

  /// The contents of all names.
  public var contents: [String: Data] { lock.withLock { values.mapValues(\.contents) } }

  /// The number of changes until now. Each written name counts.
  public var writeCount: Int { lock.withLock { lastRevision } }

  /// Lets the next reads fail.
  ///
  /// - Parameter error: The error that each read throws, or nil to let reads succeed again.
  public func failReads(with error: (any Error)?) { lock.withLock { readError = error } }

  /// Lets the next writes fail.
  ///
  /// - Parameters:
  ///   - error: The error that each write throws, or nil to let writes succeed again.
  ///   - isWritten: Whether the contents are written nevertheless, as if a network had lost the answer.
  public func failWrites(with error: (any Error)?, afterWriting isWritten: Bool = false) {
    lock.withLock { (writeError, losesAnswers) = (error, isWritten) }
  }

  /// Returns the contents of a name.
  public func read(_ name: String) async throws -> StoredContents? {
    try lock.withLock {
      if let readError { throw readError }
      return values[name]
    }
  }

  /// Writes contents, except for those whose revision is no longer current.
  public func write(_ writes: [StorageWrite]) async throws -> [String: String] {
    try lock.withLock {
      if let writeError, !losesAnswers { throw writeError }
      var revisions: [String: String] = [:]
      for write in writes where values[write.name]?.revision == write.replacing {
        if let contents = write.contents {
          lastRevision += 1
          values[write.name] = StoredContents(contents, revision: "\(lastRevision)")
        }
        revisions[write.name] = values[write.name]?.revision ?? ""
      }
      if let writeError { throw writeError }
      return revisions
    }
  }
}
