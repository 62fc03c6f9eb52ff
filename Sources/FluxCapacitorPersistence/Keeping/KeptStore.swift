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

  // The dispatcher's turn guards the three properties below.

  /// The store, if it has changed since the last snapshot. This reference keeps the store alive until the
  /// change is saved.
  private var changedStore: S?

  /// The value before time travel, until the store reduces its next state.
  private var valueBeforeTravel: S.Saved?

  /// Whether the keeper is closed, so that no more changes are saved.
  private var isClosed = false

  // After `attach`, only the keeper's queue uses the properties below.

  /// The value to write. The store must live until the value is written.
  private var snapshot: (store: S, value: S.Saved)?

  /// The contents of the file after the last successful read or write. If no file was read, these bytes are
  /// the contents of a file with the value that the store had when it was opened.
  private var contents: Data?

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
    schedule(false)
  }

  func takeSnapshot(ifChanged isOnlyIfChanged: Bool, isLast: Bool) {
    watcher?.reset()
    isClosed = isLast
    if changedStore == nil, !isOnlyIfChanged { changedStore = store }
    guard let store = changedStore.take() else { return }
    snapshot = (store, valueBeforeTravel ?? store.saved)
  }

  func writeSnapshot(to folder: Folder) throws(KeeperFailure) {
    guard let (store, value) = snapshot else { return }
    do {
      let data = try archive.data(for: value)
      if data != contents {
        // If an error is thrown, the contents of the file are unknown.
        contents = nil
        try folder.checkPlace()
        try folder.replace(fileName, with: data)
        contents = data
      }
    } catch {
      throw KeeperFailure(folder.url(of: fileName.current), archive.version, error)
    }
    snapshot = nil
    withExtendedLifetime(store) {}
  }

  func retrySnapshot() {
    // While `isClosed` was true, no change was noted. So after a failed close, each store counts as changed.
    guard snapshot != nil || isClosed else { return }
    isClosed = false
    changedStore = snapshot.take()?.store ?? store
    schedule(true)
  }
}

// MARK: - Restoring

extension KeptStore {
  /// Returns the saved value, or nil if nothing has been saved yet.
  ///
  /// - Parameters:
  ///   - isWriter: Whether a recovery may rename files.
  ///   - decide: A closure that decides about a file that can't be restored.
  func load(
    from folder: Folder,
    isWriter: Bool,
    recovering decide: (KeeperFailure) throws(KeeperFailure) -> Recovery
  ) throws(KeeperFailure) -> S.Saved? {
    do throws(KeeperFailure) {
      guard let data = try data(of: fileName.current, in: folder) else {
        if try data(of: fileName.previous, in: folder) == nil { return nil }
        throw KeeperFailure(folder.url(of: fileName.current), nil, KeeperFailure.Cause.fileMissing)
      }
      hasFile = true
      let value = try value(of: data, from: fileName.current, in: folder)
      contents = data
      return value
    } catch {
      switch try decide(error) {
      case .restorePrevious:
        guard let value = try restorePrevious(in: folder, isWriter: isWriter) else { throw error }
        return value
      case .startFresh:
        guard isWriter else { return nil }
        try rename(in: folder) { () throws(SystemError) in
          try folder.setAside(fileName)
        }
        return nil
      }
    }
  }

  /// Returns the value of the previous generation, or nil if there is none.
  private func restorePrevious(in folder: Folder, isWriter: Bool) throws(KeeperFailure) -> S.Saved?
  {
    guard let data = try data(of: fileName.previous, in: folder) else { return nil }
    let value = try value(of: data, from: fileName.previous, in: folder)
    // A follower changes no file. It adopts the next file with another value.
    guard isWriter else { return value }
    try rename(in: folder) { () throws(SystemError) in
      try folder.restorePrevious(of: fileName, data)
    }
    contents = data
    return value
  }

  func readChangedFile(in folder: Folder) throws(KeeperFailure) -> (() -> Void)? {
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
    let value = try value(of: data, from: fileName.current, in: folder)
    contents = data
    hasFile = true
    return { store.restore(value) }
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
  ) throws(KeeperFailure) -> S.Saved {
    var version: Int?
    do {
      let envelope = try Envelope(data)
      version = envelope.version
      return try archive.value(in: envelope)
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
