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

  /// A change that isn't saved yet.
  private enum Pending {
    case none

    /// The store has changed. This reference keeps the store alive until the change is saved.
    case change(S)

    /// The keeper or the key is closed, so that no more changes are saved.
    case closed
  }

  /// What is on the disk.
  enum OnDisk {
    /// The value of `saved`: the store's first one if there is no file, or the one that was read.
    case saved

    /// A file with these bytes. If this keeper saves, the bytes are those that this process encodes for the file's value.
    case contents(Data)

    /// A value that must be written anyway, such as one of an older version, or one whose write has failed.
    ///
    /// If the failed write might have replaced the file, the next one must keep the previous generation, which is the
    /// former file.
    case unknown(keepsPrevious: Bool)

    /// A file with these bytes, whose name might not be on the disk yet. The former file is the previous generation.
    case renamed(Data)
  }

  // The dispatcher's turn guards the four properties below.

  private var pending = Pending.none

  /// The value before time travel, until the store reduces its next state.
  private var valueBeforeTravel: S.Saved?

  /// Whether the store has reduced a state since the last snapshot, or has to be written again.
  var hasReduced = false

  /// The versions of the store's variables at the last snapshot, or nil if they don't show each change.
  private var versions: [ObjectIdentifier: Version]?

  // After `attach`, only the keeper's queue uses the properties below.

  /// The value to write. The store must live until the value is written.
  private var snapshot: (store: S?, value: S.Saved)?

  var onDisk = OnDisk.saved

  /// The file with these contents, if the keeper follows.
  var identity: FileIdentity?

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
  /// - Parameters:
  ///   - former: The link to a deallocated store with the same file, whose constant `saved` continues.
  ///   - savesTimeTravel: Whether time travel is a change like any other.
  /// - Returns: The watcher to register with the store.
  func attach(to store: S, after former: Variable<S.Saved>?, savesTimeTravel: Bool) -> StoreWatcher
  {
    self.store = store
    let value = store.saved
    saved = former ?? Variable(value)
    if let former {
      releaseAfterUnlocking((former.value, value))
      if !areEqual(former.value, value) { former.value = value }
    }
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
    if case .closed = pending { return }
    if let store { pending = .change(store) }
    if change != .transaction { hasReduced = true }
    schedule(false)
  }

  func takeSnapshot(ifChanged isOnlyIfChanged: Bool, isLast: Bool) {
    watcher?.reset()
    var changed = isOnlyIfChanged ? nil : store
    if case .change(let store) = pending { changed = store }
    pending = isLast ? .closed : .none
    guard let store = changed else { return }
    // A snapshot that doesn't encode is cheaper. So a store that has reduced nothing is compared by its variables' versions,
    // if they suffice.
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
      if case .renamed(data) = onDisk { return true }
      if data != dataOnDisk() {
        try write(data, to: folder)
        return true
      }
      onDisk = .contents(data)
    } catch {
      throw failure(error, in: folder)
    }
    snapshot = nil
    withExtendedLifetime(store) {}
    return false
  }

  /// Returns the bytes that this process encodes for the value on the disk, or nil if the value must be written anyway.
  ///
  /// The bytes of a file that another process has written can't tell whether the store has changed, because each process
  /// encodes a set in a different order.
  private func dataOnDisk() -> Data? {
    switch onDisk {
    case .saved: saved.flatMap { try? archive.data(for: $0.value) }
    case .contents(let data): data
    case .renamed, .unknown: nil
    }
  }

  private func write(_ data: Data, to folder: Folder) throws(SystemError) {
    let keepsPrevious =
      switch onDisk {
      case .unknown(let keepsPrevious): keepsPrevious
      case .renamed: true
      case .saved, .contents: false
      }
    onDisk = .unknown(keepsPrevious: keepsPrevious)
    try folder.checkPlace()
    try folder.prepare(fileName, data)
    if !keepsPrevious { try folder.keepPrevious(of: fileName) }
    onDisk = .unknown(keepsPrevious: true)
    try folder.replace(fileName)
    onDisk = .renamed(data)
  }

  func endWriting(_ names: Result<Void, SystemError>, to folder: Folder) throws(KeeperFailure) {
    guard case .renamed(let data) = onDisk, let (store, value) = snapshot else { return }
    do throws(SystemError) { try names.get() } catch { throw failure(error, in: folder) }
    onDisk = .contents(data)
    saved?.value = value
    snapshot = nil
    withExtendedLifetime(store) {}
  }

  private func failure(_ error: any Error, in folder: Folder) -> KeeperFailure {
    KeeperFailure(folder.url(of: fileName.current), archive.version, error)
  }

  func forgetFile() {
    onDisk = .unknown(keepsPrevious: false)
    if case .closed = pending { return }
    if store == nil, let value = saved?.value { snapshot = (nil, value) }
    pending = store.map(Pending.change) ?? .none
    hasReduced = true
  }

  func retrySnapshot() {
    // After a close has begun, no change was noted. So after a failed close, each store counts as changed.
    let isClosed = if case .closed = pending { true } else { false }
    guard snapshot != nil || isClosed else { return }
    if let snapshot, snapshot.store == nil { return schedule(true) }
    releaseAfterUnlocking(snapshot)
    let store = snapshot.take()?.store ?? store
    pending = store.map(Pending.change) ?? .none
    hasReduced = true
    schedule(true)
  }
}
