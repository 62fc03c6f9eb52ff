import FluxCapacitor
import Foundation

/// The link between a store and its file.
final class KeptStore<S: Persistable>: AnyKeptStore, @unchecked Sendable {
  let archive = S.archive
  let fileName: FileName

  /// A dispatcher that ends with its session, while the store may live on.
  weak let dispatcher: Dispatcher?

  /// The value on the disk, or the store's first value if there is no file. `attach` sets this property before other
  /// threads can use this object.
  var saved: Variable<S.Saved>?

  /// The store. `attach` sets this property before other threads can use this object.
  weak var store: S?
  var opening = 0
  private var watcher: StoreWatcher?

  /// Whether time travel is a change like any other.
  private var savesTimeTravel = true

  /// Schedules a save of the changed stores.
  private let schedule: @Sendable (_ isRetry: Bool) -> Void

  // The dispatcher's turn guards the five properties below.

  /// The store, if it has changed since the last snapshot. This reference keeps the store alive until the
  /// change is saved.
  private var changedStore: S?

  /// The value before time travel, until the store reduces its next state.
  private var valueBeforeTravel: S.Saved?

  /// Whether the store has reduced a state since the last snapshot, or has to be written again.
  var hasReduced = false

  /// The versions of the store's variables at the last snapshot, or nil if they don't show each change.
  private var versions: [ObjectIdentifier: Version]?

  /// Whether the keeper is closed, so that no more changes are saved.
  private var isClosed = false

  // After `attach`, only the keeper's queue uses the properties below.

  /// The value to write. The store must live until the value is written.
  private var snapshot: (store: S, value: S.Saved)?

  /// The bytes of the snapshot in the file, until the file's name is on the disk too.
  private var written: Data?

  /// The contents of the file after the last successful read or write. If no file was read, these bytes are
  /// the contents of a file with the value that the store had when it was opened.
  var contents: Data?

  /// Whether the contents were read, and have not been written by this object.
  var hasReadContents = false

  /// Whether the file has existed.
  var hasFile = false

  init(
    _ fileName: FileName,
    on dispatcher: Dispatcher,
    schedule: @escaping @Sendable (_ isRetry: Bool) -> Void
  ) {
    self.fileName = fileName
    self.dispatcher = dispatcher
    self.schedule = schedule
  }

  func belongs(to other: any Persistable) -> Bool { store === other }

  var anyStore: (any Persistable)? { store }
}

extension KeptStore {
  /// Links this object to a new store, which no other thread can use yet.
  ///
  /// - Parameter savesTimeTravel: Whether time travel is a change like any other.
  /// - Returns: The watcher to register with the store.
  func attach(to store: S, savesTimeTravel: Bool) -> StoreWatcher {
    self.store = store
    let value = store.saved
    saved = Variable(value)
    // A store that never changes needs no file.
    if contents == nil { contents = try? archive.data(for: value) }
    self.savesTimeTravel = savesTimeTravel
    versions = StoreContents(of: store).versions
    let watcher = StoreWatcher { [weak self] change in
      // The thread holds the dispatcher's turn, and might have the last references.
      releaseAfterUnlocking((self, self?.store))
      self?.note(change)
    }
    self.watcher = watcher
    return watcher
  }

  private func note(_ change: StoreWatcher.Change) {
    let isTravel = change == .travel && !savesTimeTravel
    if isTravel, valueBeforeTravel == nil { valueBeforeTravel = store?.saved }
    if isTravel || change == .transaction && valueBeforeTravel != nil {
      // Only a reduce ends the travel, and must be noted.
      watcher?.reset()
      return
    }
    releaseAfterUnlocking(valueBeforeTravel.take())
    guard !isClosed else { return }
    changedStore = store
    if change != .transaction { hasReduced = true }
    schedule(false)
  }

  func takeSnapshot(ifChanged isOnlyIfChanged: Bool, isLast: Bool) {
    watcher?.reset()
    isClosed = isLast
    if changedStore == nil, !isOnlyIfChanged { changedStore = store }
    guard let store = changedStore.take() else { return }
    // The bytes alone can't tell whether the store has changed, because a set is encoded in a different order in each
    // process. So a store that has reduced nothing is compared by its variables' versions, if they suffice.
    let newVersions = StoreContents(of: store).versions
    let isUnchanged = newVersions != nil && newVersions == versions
    if isUnchanged, !hasReduced { return releaseAfterUnlocking(store) }
    (versions, hasReduced) = (newVersions, false)
    snapshot = (store, valueBeforeTravel ?? store.saved)
  }

  func writeSnapshot(to folder: Folder) throws(KeeperFailure) -> Bool {
    guard let (store, value) = snapshot else { return false }
    do {
      let data = try archive.data(for: value)
      if data != contents, !hasRead(value) {
        // If an error is thrown, the contents of the file are unknown.
        contents = nil
        try folder.checkPlace()
        try folder.replace(fileName, with: data)
        written = data
        return true
      }
    } catch {
      throw failure(error, in: folder)
    }
    snapshot = nil
    withExtendedLifetime(store) {}
    return false
  }

  func endWriting(_ names: Result<Void, SystemError>, to folder: Folder) throws(KeeperFailure) {
    guard let data = written.take(), let (store, value) = snapshot else { return }
    do throws(SystemError) { try names.get() } catch { throw failure(error, in: folder) }
    contents = data
    hasReadContents = false
    saved?.value = value
    snapshot = nil
    withExtendedLifetime(store) {}
  }

  private func failure(_ error: any Error, in folder: Folder) -> KeeperFailure {
    KeeperFailure(folder.url(of: fileName.current), archive.version, error)
  }

  /// Whether the file was read with an equal value. Another process can have encoded the same set in a different
  /// order.
  private func hasRead(_ value: S.Saved) -> Bool {
    guard hasReadContents, value is any Equatable, let contents,
      let envelope = try? Envelope(contents),
      envelope.version == archive.version, let old = try? archive.value(in: envelope)
    else { return false }
    return areEqual(old, value)
  }

  func retrySnapshot() {
    // While `isClosed` was true, no change was noted. So after a failed close, each store counts as changed.
    guard snapshot != nil || isClosed else { return }
    isClosed = false
    releaseAfterUnlocking(snapshot)
    changedStore = snapshot.take()?.store ?? store
    hasReduced = true
    schedule(true)
  }
}
