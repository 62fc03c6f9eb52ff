import FluxCapacitor
import Foundation

/// Saves stores to the files of a folder, and restores the stores from the files.
///
/// ```swift
/// let keeper = try Keeper(directory: folder)
/// let notes = try keeper.open(NotesStore.self)
/// // …
/// try await keeper.close()
/// ```
///
/// After a reduce that changes a store, the keeper begins to save the store within half a second. Each file holds one
/// whole value at any moment: the old value or the new one, even if the process ends while the keeper is writing.
///
/// Keep a reference to the keeper. If you release the keeper, it saves the last changes in the background, and
/// later changes are not saved. Until the last changes are saved, the folder stays locked. Only if somebody has replaced the
/// folder by another one with files of the stores, the changes are lost. You can use a keeper on any thread.
public final class Keeper: Sendable {
  /// The purpose of a keeper.
  public enum Role: Sendable {
    /// The keeper restores stores and saves their changes. Only one keeper at a time, in all processes, can
    /// save to a folder.
    case saving

    /// The keeper restores stores, and restores them again each time another keeper saves them.
    case following
  }

  /// The failure of the last attempt to save or to follow, or nil if the attempt has succeeded.
  ///
  /// A keeper tries again after each failure: first after twice the maximum delay, then after four times the delay, and so
  /// on, up to 64 times the delay. If the folder was deleted, a keeper that saves creates it again, and writes all stores.
  /// Observers on `.current` are called on a background thread.
  public let failure: Constant<KeeperFailure?>

  private let core: KeeperCore

  /// Opens a folder.
  ///
  /// A keeper that saves creates the folder with the permissions 0700, and files with the permissions 0600.
  /// It locks the folder until you call ``close()`` or release the keeper. The system releases the lock when
  /// the process ends for any reason.
  ///
  /// - Parameters:
  ///   - directory: The folder for the files. A folder to which other users can write is an error.
  ///   - role: Whether the keeper saves stores, or follows another keeper.
  ///   - dispatcher: The dispatcher of the stores.
  ///   - maximumDelay: The longest time between a change and the beginning of its save. A longer delay costs
  ///     less energy.
  ///   - clock: The clock that measures the delay. Tests can use a manual clock.
  ///   - savesTimeTravel: Whether the keeper saves values that `TimeCircuits` restores. If the argument is
  ///     false, the file keeps the value before the travel until the store reduces its next state.
  /// - Throws: A ``KeeperFailure`` with the cause ``KeeperFailure/Cause/inUse`` if another keeper saves to
  ///   the folder, ``KeeperFailure/Cause/writableByOthers(permissions:)``, or
  ///   ``KeeperFailure/Cause/system(call:code:)`` if the folder can't be created or opened. If the keeper
  ///   follows, and the folder is missing, the cause is ``KeeperFailure/Cause/folderMissing``.
  public convenience init(
    directory: URL,
    role: Role = .saving,
    dispatcher: Dispatcher = .shared,
    maximumDelay: Duration = .milliseconds(500),
    clock: any Clock<Duration> = ContinuousClock(),
    savesTimeTravel: Bool = true
  ) throws(KeeperFailure) {
    try self.init(
      directory: directory,
      role: role,
      dispatcher: dispatcher,
      maximumDelay: maximumDelay,
      clock: clock,
      savesTimeTravel: savesTimeTravel,
      fileSystem: SystemFileSystem()
    )
  }

  package init(
    directory: URL,
    role: Role = .saving,
    dispatcher: Dispatcher = .shared,
    maximumDelay: Duration = .milliseconds(500),
    clock: any Clock<Duration> = ContinuousClock(),
    savesTimeTravel: Bool = true,
    fileSystem: any FileSystem
  ) throws(KeeperFailure) {
    core = try KeeperCore(
      directory,
      role,
      dispatcher,
      maximumDelay,
      clock,
      savesTimeTravel: savesTimeTravel,
      fileSystem
    )
    failure = Constant(core.failure)
  }

  deinit { core.keeperWillDeinit() }

  /// Returns the single live store of a type, restored from its file.
  ///
  /// If no such store is alive, the method creates the store, and restores it before any other code can use
  /// it. If there is no file, the store keeps its initial values. If the store is already open, the method
  /// returns the open store.
  ///
  /// Keep a reference to the store, as with `instantiate()`. The keeper itself keeps a store alive only until
  /// the store's last change is saved. Use `open` instead of `instantiate()` for the first use of the store.
  /// Afterward, both return the same store.
  ///
  /// The method reads the file on the calling thread. Meanwhile, other threads that request the store wait.
  ///
  /// - Precondition: The keeper's stores have archives with different names. Otherwise, the method traps.
  /// - Parameter type: The type of the store.
  /// - Throws: A ``KeeperFailure`` with the file, the file's version and the cause if the file can't be
  ///   restored. The cause is ``KeeperFailure/Cause/nameTooLong(limit:)`` if the archive's name is too long, and
  ///   ``KeeperFailure/Cause/storeExists(_:)`` if `instantiate()` has already created the store. The method changes no file.
  public func open<S: Persistable>(_ type: S.Type) throws(KeeperFailure) -> S {
    try open(type) { failure throws(KeeperFailure) in throw failure }
  }

  /// Returns the single live store of a type, and lets a closure decide about a file that can't be restored.
  ///
  /// ```swift
  /// let notes = try keeper.open(NotesStore.self) { failure in
  ///   print(failure)
  ///   return .restorePrevious
  /// }
  /// ```
  ///
  /// A closure that can throw the failure needs the annotation `failure throws(KeeperFailure) in`.
  ///
  /// The method keeps a file that can't be restored, under a new name, for example `notes.aside-1.json`. In
  /// all other respects, the method behaves as ``open(_:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the store.
  ///   - decide: A closure that receives the failure, and returns the way to recover or throws the failure.
  ///     The method calls the closure at most once, on the calling thread.
  /// - Throws: The closure's error, or a ``KeeperFailure`` if the recovery fails too.
  public func open<S: Persistable>(
    _ type: S.Type,
    recovering decide: (KeeperFailure) throws(KeeperFailure) -> Recovery
  ) throws(KeeperFailure) -> S {
    try core.open(type, key: nil, on: core.dispatcher, recovering: decide)
  }

  /// Returns the store of a type and a key on a dispatcher, restored from the key's file.
  ///
  /// A server with a dispatcher for each session keeps all sessions with one keeper, which needs one file descriptor
  /// for all of them:
  ///
  /// ```swift
  /// let room = try keeper.open(RoomStore.self, key: "general", on: dispatcher)
  /// // …
  /// try await keeper.close(RoomStore.self, key: "general")
  /// ```
  ///
  /// The file's name contains the key, for example `rooms.key-general.json`. Any text is a key. Texts that Swift
  /// compares as equal are one key. In the file's name, other characters than lowercase letters, digits, hyphens
  /// and underscores are escaped as in a URL, and a hash replaces the end of a key of more than 120 characters.
  ///
  /// Close each key. Otherwise, the keeper needs some memory for each key that was opened. In all other respects, the
  /// method behaves as ``open(_:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the store.
  ///   - key: The key of the store's file.
  ///   - dispatcher: The dispatcher of the store.
  /// - Throws: A ``KeeperFailure`` if the file can't be restored. The cause is
  ///   ``KeeperFailure/Cause/storeExists(_:)`` if the key is open on another dispatcher.
  public func open<S: Persistable>(
    _ type: S.Type,
    key: String,
    on dispatcher: Dispatcher
  ) throws(KeeperFailure) -> S {
    try open(type, key: key, on: dispatcher) { failure throws(KeeperFailure) in throw failure }
  }

  /// Returns the store of a type and a key, and lets a closure decide about a file that can't be restored.
  ///
  /// The closure has the meaning that it has in ``open(_:recovering:)``. In all other respects, the method behaves as
  /// ``open(_:key:on:)``.
  public func open<S: Persistable>(
    _ type: S.Type,
    key: String,
    on dispatcher: Dispatcher,
    recovering decide: (KeeperFailure) throws(KeeperFailure) -> Recovery
  ) throws(KeeperFailure) -> S {
    try core.open(type, key: key, on: dispatcher, recovering: decide)
  }

  /// Saves the store of a key, and forgets the store.
  ///
  /// Later changes of the store are not saved. Afterward, you can open the key again, on another dispatcher. If you open it
  /// on the same dispatcher while this method is saving the store, you get the same store, and the key stays open. If the key
  /// isn't open, the method does nothing.
  ///
  /// - Throws: The ``KeeperFailure`` if the store couldn't be saved. In this case, the key stays open, and the keeper
  ///   tries again later.
  public func close<S: Persistable>(_: S.Type, key: String) async throws(KeeperFailure) {
    try await core.close(FileName(of: S.archive.name, key: key))
  }

  /// The value of an open store that is on the disk.
  ///
  /// A service that publishes only this value never shows a value that a crash could undo. While there is no file, the
  /// constant has the value with which the store was opened, because a store that hasn't changed needs no file.
  ///
  /// The constant changes on a background thread, before ``flush()`` returns. It lives as long as you keep it. In a
  /// keeper that follows, it is the value that the store was restored to.
  ///
  /// - Precondition: The store is open. Otherwise, the method traps.
  public func saved<S: Persistable>(_ type: S.Type) -> Constant<S.Saved> {
    core.saved(type, key: nil)
  }

  /// The value of the open store of a key that is on the disk, as in ``saved(_:)``.
  ///
  /// - Precondition: The key is open. Otherwise, the method traps.
  public func saved<S: Persistable>(_ type: S.Type, key: String) -> Constant<S.Saved> {
    core.saved(type, key: key)
  }

  /// Saves all stores, and waits until the files are on the disk.
  ///
  /// When the method returns, the files contain all reduces that ended before the call, and also other
  /// changes of the stores. The file of a key may lack a change outside of reduces and transactions. A keeper that
  /// follows reads the files again instead.
  ///
  /// Calls that wait at the same time share one save. A server that flushes before each answer calls
  /// ``flush(_:key:)``, so that the failure of one session doesn't concern the others.
  ///
  /// > Warning: Don't block a reduce until this method returns, because the keeper waits for the reduce.
  ///
  /// - Throws: The ``KeeperFailure`` of the first store that couldn't be saved. The keeper tries again later.
  public func flush() async throws(KeeperFailure) { try await core.flush() }

  /// Saves the changed stores, and waits until the file of a key is on the disk.
  ///
  /// The method shares its save with other calls, as ``flush()`` does, but throws no failure of another store. If the
  /// key isn't open, the method only waits.
  ///
  /// ```swift
  /// Invoker<Dispatcher.Topic>(on: dispatcher).invoke(.set("Lightning"))
  /// try await keeper.flush(RoomStore.self, key: "general")
  /// ```
  ///
  /// - Throws: The ``KeeperFailure`` of the key's store if it couldn't be saved. The keeper tries again later.
  public func flush<S: Persistable>(_: S.Type, key: String) async throws(KeeperFailure) {
    try await core.flush(FileName(of: S.archive.name, key: key))
  }

  /// Saves all stores, and releases the folder.
  ///
  /// The keeper saves all stores of a dispatcher at one moment. Later changes of the stores are not saved. After the keeper is
  /// closed, ``open(_:)`` and ``flush()`` throw, and another call of this method does nothing.
  ///
  /// - Throws: The ``KeeperFailure`` of the first store that couldn't be saved. In this case, the keeper stays
  ///   open and tries again, so that nothing is lost. Closing a keeper that follows never fails.
  public func close() async throws(KeeperFailure) { try await core.pass(.last) }
}
