import FluxCapacitor
import Foundation

/// The link between a store and its file.
final class KeptStore<S: Persistable>: AnyKeptStore, @unchecked Sendable {
  private let archive = S.archive
  private let fileName = FileName(name: S.archive.name)

  /// The store. `attach` sets this property before other threads can use this object.
  private weak var store: S?
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
  private var hasReduced = false

  /// The versions of the store's variables at the last snapshot, or nil if they don't show each change.
  private var versions: [ObjectIdentifier: Version]?

  /// Whether the keeper is closed, so that no more changes are saved.
  private var isClosed = false

  // After `attach`, only the keeper's queue uses the properties below.

  /// The value to write. The store must live until the value is written.
  private var snapshot: (store: S, value: S.Saved)?

  /// The contents of the file after the last successful read or write. If no file was read, these bytes are
  /// the contents of a file with the value that the store had when it was opened.
  private var contents: Data?

  /// Whether the contents were read, and have not been written by this object.
  private var hasReadContents = false

  /// Whether the file has existed.
  private var hasFile = false

  init(schedule: @escaping @Sendable (_ isRetry: Bool) -> Void) { self.schedule = schedule }

  func belongs(to other: any Persistable) -> Bool { store === other }

  var isAlive: Bool { store != nil }
}

// MARK: - Saving

extension KeptStore {
  /// Links this object to a new store, which no other thread can use yet.
  ///
  /// - Parameter savesTimeTravel: Whether time travel is a change like any other.
  /// - Returns: The watcher to register with the store.
  func attach(to store: S, savesTimeTravel: Bool) -> StoreWatcher {
    self.store = store
    // A store that never changes needs no file.
    if contents == nil { contents = try? archive.data(for: store.saved) }
    self.savesTimeTravel = savesTimeTravel
    versions = StoreContents(of: store).versions
    let watcher = StoreWatcher { [weak self] in self?.note($0) }
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
    valueBeforeTravel = nil
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
    if isUnchanged, !hasReduced { return }
    (versions, hasReduced) = (newVersions, false)
    snapshot = (store, valueBeforeTravel ?? store.saved)
  }

  func writeSnapshot(to folder: Folder) throws(KeeperFailure) {
    guard let (store, value) = snapshot else { return }
    do {
      let data = try archive.data(for: value)
      if data != contents, !hasRead(value) {
        // If an error is thrown, the contents of the file are unknown.
        contents = nil
        try folder.checkPlace()
        try folder.replace(fileName, with: data)
        contents = data
        hasReadContents = false
      }
    } catch {
      throw KeeperFailure(folder.url(of: fileName.current), archive.version, error)
    }
    snapshot = nil
    withExtendedLifetime(store) {}
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
    changedStore = snapshot.take()?.store ?? store
    hasReduced = true
    schedule(true)
  }
}

// MARK: - Restoring

extension KeptStore {
  /// Returns a store with the saved value, or a new store if nothing has been saved yet.
  ///
  /// - Parameters:
  ///   - isWriter: Whether a recovery may rename files.
  ///   - decide: A closure that decides about a file that can't be restored.
  ///   - makeStore: A closure that creates a store, and restores a value if there is one.
  func load(
    from folder: Folder,
    isWriter: Bool,
    recovering decide: (KeeperFailure) throws(KeeperFailure) -> Recovery,
    _ makeStore: (S.Saved?) throws -> S
  ) throws(KeeperFailure) -> S {
    do throws(KeeperFailure) {
      guard let data = try data(of: fileName.current, in: folder) else {
        if try data(of: fileName.previous, in: folder) == nil {
          return try store(nil, from: fileName.current, in: folder, makeStore)
        }
        throw KeeperFailure(folder.url(of: fileName.current), nil, KeeperFailure.Cause.fileMissing)
      }
      hasFile = true
      let store = try store(data, from: fileName.current, in: folder, makeStore)
      contents = data
      hasReadContents = true
      return store
    } catch {
      switch try decide(error) {
      case .restorePrevious:
        let store = try restorePrevious(in: folder, isWriter: isWriter, makeStore)
        guard let store else { throw error }
        return store
      case .startFresh:
        let store = try store(nil, from: fileName.current, in: folder, makeStore)
        if isWriter {
          try rename(in: folder) { () throws(SystemError) in
            try folder.setAside(fileName)
          }
        }
        return store
      }
    }
  }

  /// Returns a store with the value of the previous generation, or nil if there is none.
  private func restorePrevious(
    in folder: Folder,
    isWriter: Bool,
    _ makeStore: (S.Saved?) throws -> S
  ) throws(KeeperFailure) -> S? {
    guard let data = try data(of: fileName.previous, in: folder) else { return nil }
    let store = try store(data, from: fileName.previous, in: folder, makeStore)
    // A follower changes no file. It adopts the next file with another value.
    guard isWriter else { return store }
    try rename(in: folder) { () throws(SystemError) in
      try folder.restorePrevious(of: fileName, data)
    }
    contents = data
    hasReadContents = true
    return store
  }

  /// Returns a store with the value in a file's contents, or a new store if there are no contents.
  private func store(
    _ data: Data?,
    from file: String,
    in folder: Folder,
    _ makeStore: (S.Saved?) throws -> S
  ) throws(KeeperFailure) -> S {
    var value: (value: S.Saved, version: Int)?
    if let data { value = try self.value(of: data, from: file, in: folder) }
    // The next save writes the newest version.
    if let value, value.version != archive.version { hasReduced = true }
    do {
      return try makeStore(value?.value)
    } catch {
      throw refusal(error, of: file, value?.version, in: folder)
    }
  }

  private func refusal(_ error: any Error, of file: String, _ version: Int?, in folder: Folder)
    -> KeeperFailure
  {
    KeeperFailure(folder.url(of: file), version, KeeperFailure.Cause.refused("\(error)"))
  }

  func readChangedFile(
    in folder: Folder
  ) throws(KeeperFailure) -> (() throws(KeeperFailure) -> Void)? {
    guard let store else { return nil }
    do throws(SystemError) {
      try folder.checkPlace()
    } catch {
      throw KeeperFailure(folder.url, nil, error)
    }
    guard let data = try data(of: fileName.current, in: folder) else {
      if !hasFile { return nil }
      throw KeeperFailure(folder.url(of: fileName.current), nil, KeeperFailure.Cause.fileMissing)
    }
    if data == contents { return nil }
    let (value, version) = try value(of: data, from: fileName.current, in: folder)
    hasFile = true
    return { [fileName] () throws(KeeperFailure) in
      // The same set can be encoded in a different order.
      if !areEqual(value, store.saved) {
        do {
          try store.restore(value)
        } catch {
          throw self.refusal(error, of: fileName.current, version, in: folder)
        }
      }
      // After a refusal, the next pass tries again.
      self.contents = data
    }
  }

  private func data(of file: String, in folder: Folder) throws(KeeperFailure) -> Data? {
    do {
      return try folder.contents(of: file)
    } catch {
      throw KeeperFailure(folder.url(of: file), nil, error)
    }
  }

  private func value(
    of data: Data,
    from file: String,
    in folder: Folder
  ) throws(KeeperFailure) -> (value: S.Saved, version: Int) {
    var version: Int?
    do {
      let envelope = try Envelope(data)
      version = envelope.version
      return (try archive.value(in: envelope), envelope.version)
    } catch {
      throw KeeperFailure(folder.url(of: file), version, error)
    }
  }

  private func rename(
    in folder: Folder,
    _ body: () throws(SystemError) -> Void
  ) throws(KeeperFailure) {
    do {
      try body()
    } catch {
      throw KeeperFailure(folder.url(of: fileName.current), nil, error)
    }
  }
}
