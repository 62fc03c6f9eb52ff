import FluxCapacitor
import Foundation

/// A store of a keeper, without the store's type.
protocol AnyKeptStore: AnyObject, Sendable {
  var fileName: FileName { get }

  /// The store, or nil after it was deallocated.
  var anyStore: (any Persistable)? { get }

  /// The store's dispatcher, or nil after it was deallocated.
  var dispatcher: Dispatcher? { get }

  /// The number of the last call of `open` that has returned the store. The keeper's lock guards it.
  var opening: Int { get set }

  /// Returns whether this object is the link between another store and its saved value.
  func belongs(to store: any Persistable) -> Bool

  /// Reads the store's value for the next write. The caller must hold the dispatcher's turn.
  ///
  /// - Parameter isOnlyIfChanged: Whether to skip a store that hasn't changed since its last snapshot.
  func takeSnapshot(ifChanged isOnlyIfChanged: Bool)

  /// Schedules another snapshot after a failed write. The caller must hold the dispatcher's turn.
  func retrySnapshot()
}

/// A store that is saved to a file.
protocol AnyKeptFile: AnyKeptStore {
  /// Whether the file was deleted with its folder, and hasn't been written to the new one. The keeper's lock guards it.
  var isDeleted: Bool { get set }

  /// Writes the snapshot to the store's file, unless the file already has the same contents.
  ///
  /// If this method or the next one throws an error, the caller must call `retrySnapshot()`.
  ///
  /// - Returns: Whether the method has replaced the file. Then the caller must put the names of the folder's files on
  ///   the disk, and call the next method.
  func writeSnapshot(to folder: Folder) throws(KeeperFailure) -> Bool

  /// Forgets the snapshot after its file was replaced.
  ///
  /// - Parameter names: Whether the names of the folder's files are on the disk.
  func endWriting(_ names: Result<Void, SystemError>, to folder: Folder) throws(KeeperFailure)

  /// Notes that the folder was deleted, so that the store has to be written again. The caller must hold the dispatcher's
  /// turn.
  func forgetFile()

  /// Reads the store's file, and returns a closure that restores the store, or nil if the file hasn't been replaced.
  func readChangedFile(
    in folder: Folder
  ) throws(KeeperFailure) -> (() throws(KeeperFailure) -> Void)?
}

/// A store that is saved to a storage.
protocol AnyKeptRow: AnyKeptStore {
  /// Whether another keeper has replaced the store's value, so that this keeper can't save the store any more.
  var isSuperseded: Variable<Bool> { get }

  /// Whether a `flush` or a `close` has failed because of that.
  var isLossKnown: Bool { get set }

  /// The revision of the value in the storage that this keeper has read or written last, or nil if there was none.
  var revision: String? { get set }

  /// The number of writes that have failed since the last one that hasn't.
  var failedWrites: Int { get set }

  /// Returns the contents for the snapshot, or nil if the storage already has these contents.
  func contents() throws(KeeperFailure) -> Data?

  /// Forgets the snapshot after its contents were written.
  func endWriting(_ contents: Data, revision: String)
}
