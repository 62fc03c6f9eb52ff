import Dispatch
import FluxCapacitor
import Foundation

/// A keeper's stores, which are saved to the files of a folder.
final class FolderCore: KeeperCore, @unchecked Sendable {
  private let system: any FileSystem

  /// The queue of the passes. A pass has the priority of the task that waits for it, or of the timer. All keepers share
  /// the threads of the global queue.
  private let queue = DispatchQueue(label: "FluxCapacitorPersistence.Keeper", target: .global())

  // The lock guards the properties below.

  /// The open folder, or nil after the keeper was closed.
  private var folder: Folder?

  /// Whether any file might have been replaced, which a keeper that follows has to read.
  private var mayHaveChangedAll = false

  /// Whether a pass of a follower waits in the queue.
  private var isAdoptionQueued = false

  /// The watch on the folder of another keeper, or nil if it hasn't begun yet.
  private var watch: AnyObject?

  /// The reason why there is no watch. Stores can be restored nevertheless, and `flush` reads the files again.
  private var watchFailure: KeeperFailure?

  init(
    _ directory: URL,
    _ role: Keeper.Role,
    _ dispatcher: Dispatcher,
    _ maximumDelay: Duration,
    _ clock: any Clock<Duration>,
    savesTimeTravel: Bool,
    _ system: any FileSystem
  ) throws(KeeperFailure) {
    if let scheme = directory.scheme, !directory.isFileURL {
      trap(
        "A keeper can't use a URL with the scheme \(scheme).",
        "Pass the URL of a folder, as `URL(filePath:)` returns it."
      )
    }
    // The process might change its working directory.
    let absolute = directory.scheme == nil ? URL(fileURLWithPath: directory.path) : directory
    let folder = try Folder(absolute, system, isWriter: role == .saving)
    self.folder = folder
    self.system = system
    super.init(folder.url, role, dispatcher, maximumDelay, clock, savesTimeTravel: savesTimeTravel)
    beginWatch(of: folder)
    failure.value = watchFailure
  }

  override var isOpen: Bool { folder != nil }

  override func takePlace() -> Any { (folder.take(), watch.take()) }

  override var standingFailure: KeeperFailure? { watchFailure }

  override func sendPass(
    _ scope: @escaping @Sendable () -> Scope?,
    then completion: @escaping @Sendable (KeeperFailure?) -> Void
  ) {
    queue.send { [self] in
      if let scope = scope() { completion(runPass(scope)) }
    }
  }

  func open<S: Persistable>(
    _: S.Type,
    key: String?,
    on dispatcher: Dispatcher,
    recovering decide: (KeeperFailure) throws(KeeperFailure) -> Recovery
  ) throws(KeeperFailure) -> S {
    let name = try fileName(of: S.self, key: key)
    // While this closure runs, no other thread can create the store or use it.
    let (store, isNew) = try dispatcher.instantiate(S.self) { () throws(KeeperFailure) in
      guard let folder = lock.withLock({ folder }) else { throw failure(.closed) }
      guard try beginOpening(S.self, name) == nil else {
        throw failure(.storeExists("\(S.self)"), of: name)
      }
      defer { endOpening(name) }
      let former = keptStore(name) as? KeptFile<S>
      releaseAfterUnlocking(former)
      let wasDeleted = lock.withLock { former?.isDeleted == true }
      let kept = KeptFile<S>(name, in: place, on: dispatcher, schedule: schedule(name))
      return try create(kept, on: dispatcher) { makeStore throws(KeeperFailure) in
        try kept.load(from: folder, isWriter: role == .saving, recovering: decide) { value in
          // In a deleted folder, nothing is found. The next pass saves the value to a new folder.
          let isDeleted = wasDeleted || folder.isDeleted
          return try makeStore(value ?? former.flatMap { isDeleted ? $0.saved?.value : nil })
        }
      } willAdd: {
        // The new folder might not have the file yet.
        guard role == .saving, wasDeleted || self.folder !== folder else { return }
        kept.isDeleted = true
        kept.forgetFile()
      }
    }
    if isNew {
      // The writer might have replaced the file after this thread read it.
      if role == .following { folderDidChange([name.current]) }
    } else if !reopen(name, store) {
      throw failure(.storeExists("\(S.self)"), of: name)
    }
    return store
  }
}

// MARK: - Passes

extension FolderCore {
  /// Saves the stores or, if the keeper follows, restores them. Returns the first failure.
  private func runPass(_ scope: Scope) -> KeeperFailure? {
    let callers = beginPass(scope)
    lock.withLock {
      if !scope.isOne { isAdoptionQueued = false }
      if callers.contains(where: { $0.name == nil }) { mayHaveChangedAll = true }
    }
    let failures = runPassInFolder(scope)
    // This thread no longer has a reference to the folder, so a caller that releases the keeper also frees the folder.
    return endPass(scope, failures, for: callers)
  }

  private func runPassInFolder(_ scope: Scope) -> [PassFailure] {
    guard let former = lock.withLock({ self.folder }) else { return failuresAfterClose(scope) }
    let folder: Folder
    do throws(KeeperFailure) {
      folder = try mustReopen(former, for: scope) ? reopenedFolder() : former
    } catch {
      note([(nil, error)], in: scope)
      scheduleSave(of: nil, isRetry: true)
      return [(nil, error)]
    }
    return switch (role, scope) {
    case (.saving, _): save(scope, to: folder)
    case (.following, .last), (.following, .one): []
    case (.following, _): adopt(scope, from: folder)
    }
  }

  private func save(_ scope: Scope, to folder: Folder) -> [PassFailure] {
    let stores = stores(in: scope)
    defer { withExtendedLifetime(stores) {} }
    takeSnapshots(of: stores, in: scope)
    let failures = write(stores.compactMap { $0 as? any AnyKeptFile }, to: folder)
    note(failures, in: scope)
    if !failures.isEmpty { retrySnapshots(of: stores) }
    return failures
  }

  /// Writes the snapshots to the stores' files. One call puts the names of all files on the disk.
  private func write(_ stores: [any AnyKeptFile], to folder: Folder) -> [PassFailure] {
    let writes = stores.map { store in
      Result { () throws(KeeperFailure) in try store.writeSnapshot(to: folder) }
    }
    let hasWritten = writes.contains { if case .success(true) = $0 { true } else { false } }
    let names = Result { () throws(SystemError) in
      if hasWritten { try folder.synchronizeNames() }
    }
    var failures: [PassFailure] = []
    for (store, write) in zip(stores, writes) {
      do throws(KeeperFailure) {
        if try write.get() { try store.endWriting(names, to: folder) }
        lock.withLock { store.isDeleted = false }
      } catch {
        failures.append((store.fileName, error))
      }
    }
    return failures
  }

  /// Whether a pass needs another folder than the one that this keeper has opened.
  private func mustReopen(_ folder: Folder, for scope: Scope) -> Bool {
    switch (role, scope) {
    case (.saving, _): folder.isDeleted
    // Closing a keeper that follows never fails.
    case (.following, .last), (.following, .one): false
    case (.following, _): (try? folder.checkPlace()) == nil
    }
  }

  /// Creates or opens the folder again after its deletion. Each store is written or read again.
  ///
  /// A keeper that saves uses only a folder without files of its stores, because other files might be newer.
  private func reopenedFolder() throws(KeeperFailure) -> Folder {
    let folder = try Folder(place, system, isWriter: role == .saving)
    if role == .saving {
      for store in lock.withLock({ Array(stores.values) }) {
        if try folder.hasNoFile(of: store.fileName) { continue }
        // Without an owner, nobody can learn of the failure or close the keeper.
        if lock.withLock({ keeperWasReleased }) { release() }
        throw failure(.folderMissing)
      }
    }
    let former = lock.withLock {
      defer {
        (self.folder, watch) = (folder, nil)
        changedNames = Set(stores.keys)
        if role == .saving {
          for case let store as any AnyKeptFile in stores.values { store.isDeleted = true }
        }
      }
      return (folder: self.folder, watch: watch, stores: Array(stores.values))
    }
    if role == .saving {
      forEachDispatcher(of: former.stores) { stores in
        for case let store as any AnyKeptFile in stores { store.forgetFile() }
      }
      // The present pass might save only one store.
      scheduleSave(of: nil, isRetry: false)
    }
    withExtendedLifetime(former) {}
    return folder
  }
}

// MARK: - Following

extension FolderCore {
  /// Queues a pass, unless a queued pass will read the files anyway.
  ///
  /// - Parameter files: The names of the files that were replaced, or nil if any file might have been replaced.
  func folderDidChange(_ files: [String]?) {
    let isFirst = lock.withLock {
      mayHaveChangedAll = mayHaveChangedAll || files == nil
      changedNames.formUnion((files ?? []).map(FileName.inTable))
      defer { isAdoptionQueued = true }
      return !isAdoptionQueued
    }
    if isFirst { queue.send { [weak self] in _ = self?.runPass(.changed) } }
  }

  /// Begins to watch the folder if this keeper follows another one.
  func beginWatch(of folder: Folder) {
    guard role == .following, lock.withLock({ watch == nil }) else { return }
    do throws(SystemError) {
      let watch = try folder.watch { [weak self] files in self?.folderDidChange(files) }
      watchFailure = nil
      lock.withLock { (self.watch, mayHaveChangedAll) = (watch, true) }
    } catch {
      watchFailure = KeeperFailure(folder.url, nil, error)
    }
  }

  /// Restores the stores whose files have changed, in one transaction.
  private func adopt(_ scope: Scope, from folder: Folder) -> [PassFailure] {
    beginWatch(of: folder)
    lock.withLock {
      if mayHaveChangedAll || watch == nil && scope == .changed { changedNames = Set(stores.keys) }
      mayHaveChangedAll = false
    }
    var failures: [PassFailure] = []
    for stores in grouped(stores(in: scope)) {
      var restorations: [(name: FileName, restore: () throws(KeeperFailure) -> Void)] = []
      for case let store as any AnyKeptFile in stores {
        do throws(KeeperFailure) {
          if let restore = try store.readChangedFile(in: folder) {
            restorations.append((store.fileName, restore))
          }
        } catch {
          failures.append((store.fileName, error))
        }
      }
      if !restorations.isEmpty, let dispatcher = stores[0].dispatcher {
        withDispatcher(dispatcher) {
          dispatcher.transaction {
            for (name, restore) in restorations {
              do throws(KeeperFailure) { try restore() } catch { failures.append((name, error)) }
            }
          }
        }
        // The values and the stores are released after the turn.
        withExtendedLifetime((stores, restorations)) {}
      }
    }
    let all = watchFailure.map { failures + [(nil, $0)] } ?? failures
    note(all, in: .changed)
    // The files don't have to change again before they can be read.
    for (name, _) in all { scheduleSave(of: name, isRetry: true) }
    return failures
  }
}
