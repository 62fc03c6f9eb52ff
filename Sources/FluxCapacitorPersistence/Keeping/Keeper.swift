import FluxCapacitor
import Foundation

/// Saves stores to the files of a folder, or to a database, and restores them.
///
/// ```swift
/// let keeper = try Keeper(directory: folder)
/// let notes = try keeper.open(NotesStore.self)
/// // …
/// try await keeper.close()
/// ```
///
/// After a reduce that changes a store, the keeper begins to save the store within half a second. At any moment, each file
/// holds one whole value, the old or the new one, even if the process ends while the keeper is writing.
///
/// To save to a database that several servers share, see
/// ``init(storage:dispatcher:maximumDelay:clock:savesTimeTravel:)``.
///
/// Keep a reference to the keeper. If you release it, it saves the last changes in the background, and the folder stays
/// locked meanwhile. Later changes are not saved, and changes outside of reduces and transactions might not be. The last
/// changes are lost only if a value can't be encoded, or if somebody has replaced the folder with another one that contains
/// files of the stores. You can use a keeper on any thread.
public final class Keeper: Sendable {
  /// Whether a keeper saves stores, or follows another keeper that does.
  public enum Role: Sendable {
    /// The keeper restores stores and saves their changes. In all processes, only one keeper at a time can save to a
    /// folder.
    case saving

    /// The keeper restores stores, and restores them again each time another keeper saves them.
    case following
  }

  /// Why the last attempt to save or to follow has failed, or nil if it has succeeded.
  ///
  /// After a failure other than ``KeeperFailure/Cause/superseded``, the keeper tries again after twice the maximum delay, then
  /// after four times the delay, and so on, up to 64 times. For these pauses, a delay below 100 ms counts as 100 ms. If the
  /// folder was deleted, a keeper that saves creates it again, and writes all stores. Observers on `.current` are called on a
  /// background thread.
  public let failure: Constant<KeeperFailure?>

  let core: KeeperCore

  /// The number of callers of `load` that wait for another call.
  package var openingWaiterCount: Int {
    core.lock.withLock { core.openings.values.reduce(0) { $0 + $1.waiters.count } }
  }

  init(_ core: KeeperCore) {
    self.core = core
    failure = Constant(core.failure)
  }

  /// Opens a folder.
  ///
  /// A keeper that saves creates the folder with the permissions 0700, and files with the permissions 0600. It locks the
  /// folder until you call ``close()`` or release the keeper. If the process ends, for any reason, the system releases the
  /// lock.
  ///
  /// - Parameters:
  ///   - directory: The folder for the files. It is an error if its permissions let other users than its owner write to it.
  ///     The owner can be any user, as is usual for the volume of a container.
  ///   - role: Whether the keeper saves stores, or follows another keeper.
  ///   - dispatcher: The dispatcher of the stores.
  ///   - maximumDelay: The longest time from a change until the keeper begins to save it. A longer delay costs less energy.
  ///   - clock: The clock that measures the delay. Tests can use a manual clock.
  ///   - savesTimeTravel: Whether the keeper saves values that `TimeCircuits` restores. If it doesn't, the file keeps the
  ///     value before the travel until the store reduces its next state.
  /// - Throws: A ``KeeperFailure`` with the cause ``KeeperFailure/Cause/inUse`` if another keeper saves to the folder,
  ///   ``KeeperFailure/Cause/writableByOthers(permissions:)``, or ``KeeperFailure/Cause/system(call:code:)`` if the folder
  ///   can't be created or opened. If the keeper follows, and the folder is missing, the cause is
  ///   ``KeeperFailure/Cause/folderMissing``.
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

  package convenience init(
    directory: URL,
    role: Role = .saving,
    dispatcher: Dispatcher = .shared,
    maximumDelay: Duration = .milliseconds(500),
    clock: any Clock<Duration> = ContinuousClock(),
    savesTimeTravel: Bool = true,
    fileSystem: any FileSystem
  ) throws(KeeperFailure) {
    self.init(
      try FolderCore(
        directory,
        role,
        dispatcher,
        maximumDelay,
        clock,
        savesTimeTravel: savesTimeTravel,
        fileSystem
      )
    )
  }

  deinit { core.keeperWillDeinit() }

  /// Returns the single live store of a type, restored from its file.
  ///
  /// Call `open` before anything calls `instantiate()` for this type. Afterward, both return the same store. Keep a
  /// reference to it: the keeper itself keeps a store alive only until the last change that a reduce has made is saved.
  ///
  /// If no such store is alive, the method creates one, and restores it before any other code can use it. If there is no
  /// file, the store keeps its initial values, and the keeper writes no file until they change. So let a reduce make an id
  /// that has to stay the same. If the store is already open, the method returns it. The method reads the file on the calling
  /// thread. Other threads that request the store wait meanwhile.
  ///
  /// If the file has an older version, its value is decoded with another new id each time, or the store has restored another
  /// value than the file's, the store counts as changed, and the keeper saves it soon.
  ///
  /// - Precondition: The keeper's stores have archives with different names. Otherwise, the method traps.
  /// - Parameter type: The type of the store.
  /// - Throws: A ``KeeperFailure`` with the file, its version and the cause if the file can't be restored. The cause is
  ///   ``KeeperFailure/Cause/nameTooLong(limit:)`` if the archive's name is too long, and
  ///   ``KeeperFailure/Cause/storeExists(_:)`` if `instantiate()` has already created the store. The method changes no
  ///   file.
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
  /// A file that can't be restored is kept under a new name, for example `notes.aside-1.json`. In all other respects, this
  /// method behaves like ``open(_:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the store.
  ///   - decide: Receives the failure, and returns how to recover or throws the failure. The method calls this closure at
  ///     most once, on the calling thread.
  /// - Throws: The closure's error, or a ``KeeperFailure`` if the recovery fails too.
  public func open<S: Persistable>(
    _ type: S.Type,
    recovering decide: (KeeperFailure) throws(KeeperFailure) -> Recovery
  ) throws(KeeperFailure) -> S {
    try folder(of: type).open(type, key: nil, on: core.dispatcher, recovering: decide)
  }

  /// Returns the store that a type has for a key on a dispatcher, restored from the key's file.
  ///
  /// Use keys on a server with a dispatcher for each session. One keeper with one file descriptor saves all sessions:
  ///
  /// ```swift
  /// let room = try keeper.open(RoomStore.self, key: "general", on: dispatcher)
  /// // …
  /// try await keeper.close(RoomStore.self, key: "general")
  /// ```
  ///
  /// Close each key when you no longer need it. Otherwise, the keeper needs some memory for each key that was opened.
  ///
  /// The file's name contains the key, for example `rooms.key-general.json`. Any text is a key, and texts that Swift
  /// compares as equal are the same key, unless they contain characters that are newer than the system's Foundation. In the
  /// file's name, all characters except lowercase letters, digits, hyphens and underscores are escaped as in a URL, and a
  /// hash replaces the end of a key of more than 120 characters.
  ///
  /// In all other respects, the method behaves like ``open(_:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the store.
  ///   - key: The key of the store's file.
  ///   - dispatcher: The dispatcher of the store.
  /// - Throws: A ``KeeperFailure`` if the file can't be restored. The cause is ``KeeperFailure/Cause/storeExists(_:)`` if
  ///   the key is open on another dispatcher.
  public func open<S: Persistable>(
    _ type: S.Type,
    key: String,
    on dispatcher: Dispatcher
  ) throws(KeeperFailure) -> S {
    try open(type, key: key, on: dispatcher) { failure throws(KeeperFailure) in throw failure }
  }

  /// Returns the store that a type has for a key, and lets a closure decide about a file that can't be restored.
  ///
  /// The closure is that of ``open(_:recovering:)``. In all other respects, the method behaves like ``open(_:key:on:)``.
  public func open<S: Persistable>(
    _ type: S.Type,
    key: String,
    on dispatcher: Dispatcher,
    recovering decide: (KeeperFailure) throws(KeeperFailure) -> Recovery
  ) throws(KeeperFailure) -> S {
    try folder(of: type).open(type, key: key, on: dispatcher, recovering: decide)
  }

  func folder<S>(of type: S.Type) -> FolderCore {
    guard let core = core as? FolderCore else {
      trap("A keeper with a storage opens \(type) with `try await load(\(type).self)`.")
    }
    return core
  }

  /// Saves a key's store, and forgets the store.
  ///
  /// Later changes of the store are not saved. Afterward, you can open the key again, on another dispatcher. If you open it
  /// on the same dispatcher while this method is saving the store, you get the same store, and the key stays open. If the
  /// key isn't open, the method does nothing.
  ///
  /// - Throws: The ``KeeperFailure`` if the store couldn't be saved. Then the key stays open, and the keeper tries again
  ///   later.
  public func close<S: Persistable>(_: S.Type, key: String) async throws(KeeperFailure) {
    try await core.close(FileName(of: S.archive.name, key: key))
  }

  /// The value of an open store that is on the disk.
  ///
  /// A service that publishes only this value never shows a value that a crash could undo. A store that hasn't changed
  /// needs no file: as long as there is none, the constant has the value with which the store was opened. If the keeper
  /// follows, the constant has the value to which the store was last restored.
  ///
  /// The constant changes on a background thread, before ``flush()`` returns. It lives as long as you keep it.
  ///
  /// - Precondition: The store is open. Otherwise, the method traps.
  public func saved<S: Persistable>(_ type: S.Type) -> Constant<S.Saved> {
    core.saved(type, key: nil)
  }

  /// The value of a key's open store that is on the disk, as in ``saved(_:)``.
  ///
  /// - Precondition: The key is open. Otherwise, the method traps.
  public func saved<S: Persistable>(_ type: S.Type, key: String) -> Constant<S.Saved> {
    core.saved(type, key: key)
  }

  /// Saves all stores, and waits until the files are on the disk.
  ///
  /// When the method returns, the files contain the results of all reduces of the stores' dispatchers that ended before the
  /// call. They also contain other changes of the stores, except that a key's file may lack a change outside of the reduces
  /// and transactions of its dispatcher, for which you can call ``flush(_:key:)``. If the keeper follows, it reads the files
  /// again instead.
  ///
  /// Calls that wait at the same time share one save. If a server flushes before each answer, use ``flush(_:key:)``, so
  /// that one session's failure doesn't concern the others.
  ///
  /// > Warning: Don't block a reduce until this method returns, because the keeper waits for the reduce.
  ///
  /// - Throws: The ``KeeperFailure`` of the first store that couldn't be saved. The keeper tries again later.
  public func flush() async throws(KeeperFailure) { try await core.flush() }

  /// Saves the changed stores, and waits until a key's file is on the disk.
  ///
  /// ```swift
  /// Invoker<Dispatcher.Topic>(on: dispatcher).invoke(.set("Lightning"))
  /// try await keeper.flush(RoomStore.self, key: "general")
  /// ```
  ///
  /// The method shares its save with other calls, like ``flush()``, but doesn't throw another store's failure. If the key
  /// isn't open, it only waits. With a storage, it also fails if another keeper has replaced the key's value, even if the
  /// store hasn't changed. So after it returns, everything that this store has shown before the call is saved.
  ///
  /// - Throws: The ``KeeperFailure`` if the key's store couldn't be saved. The keeper tries again later.
  public func flush<S: Persistable>(_: S.Type, key: String) async throws(KeeperFailure) {
    try await core.flush(FileName(of: S.archive.name, key: key))
  }

  /// Saves all stores, and releases the folder.
  ///
  /// The keeper saves all stores of a dispatcher as of one moment. Later changes are not saved. Afterward, ``open(_:)`` and
  /// ``flush()`` throw, and another call of this method does nothing.
  ///
  /// - Throws: The ``KeeperFailure`` of the first store that couldn't be saved. Then the keeper stays open and tries again,
  ///   so that nothing is lost. Closing a keeper that follows never fails.
  public func close() async throws(KeeperFailure) { try await core.pass(.last) }
}
