import FluxCapacitor
import Foundation

extension KeeperCore {
  func open<S: Persistable>(
    _: S.Type,
    recovering decide: (KeeperFailure) throws(KeeperFailure) -> Recovery
  ) throws(KeeperFailure) -> S {
    if lock.withLock({ folder == nil }) { throw closedFailure }
    // While this closure runs, no other thread can create the store or use it.
    let (store, isNew) = try dispatcher.instantiate(S.self) { () throws(KeeperFailure) in
      guard let folder = lock.withLock({ folder }) else { throw closedFailure }
      // If an older store is alive, its last change might not be in the file yet.
      let former = try formerStore(S.self)
      let kept = KeptStore<S> { [weak self] isRetry in self?.scheduleSave(isRetry: isRetry) }
      let store = try kept.load(from: folder, isWriter: role == .saving, recovering: decide) {
        value in
        try withDispatcher(dispatcher) {
          let store = S()
          if let value { try store.restore(value) }
          return store
        }
      }
      let watcher = kept.attach(to: store, savesTimeTravel: savesTimeTravel)
      try add(kept, replacing: former, of: S.self)
      // A follower saves nothing, so its stores need no watchers.
      return (store, role == .saving ? watcher : nil)
    }
    if isNew {
      // The writer might have replaced the file after this thread read it.
      if role == .following { folderDidChange() }
    } else if !isOpen(store) {
      throw storeExists(S.self)
    }
    return store
  }

  private func key<S: Persistable>(_: S.Type) -> String { S.archive.name.lowercased() }

  private func isOpen<S: Persistable>(_ store: S) -> Bool {
    lock.withLock { stores[key(S.self)] }?.belongs(to: store) ?? false
  }

  /// Returns the entry of an earlier store with the same archive, which has been deallocated.
  private func formerStore<S: Persistable>(_: S.Type) throws(KeeperFailure) -> (any AnyKeptStore)? {
    // This thread uses the entry after unlocking, because it might release the last reference to a store.
    let former = lock.withLock { stores[key(S.self)] }
    guard let former, former.isAlive else { return former }
    precondition(
      former is KeptStore<S>,
      "\(S.self) and another store of this keeper have archives named \"\(S.archive.name)\"."
    )
    throw storeExists(S.self)
  }

  /// Adds a store, unless the keeper was closed, or another store was added, since this thread called
  /// `formerStore`.
  private func add<S: Persistable>(
    _ kept: KeptStore<S>,
    replacing former: (any AnyKeptStore)?,
    of _: S.Type
  ) throws(KeeperFailure) {
    let (isClosed, isAdded) = lock.withLock {
      let isAdded = folder != nil && stores[key(S.self)] === former
      if isAdded { stores[key(S.self)] = kept }
      return (folder == nil, isAdded)
    }
    if isClosed { throw closedFailure }
    if !isAdded { throw storeExists(S.self) }
  }

  private func storeExists<S: Persistable>(_: S.Type) -> KeeperFailure {
    let file = directory.appendingPathComponent(FileName(name: S.archive.name).current)
    return KeeperFailure(file, nil, KeeperFailure.Cause.storeExists("\(S.self)"))
  }
}
