import FluxCapacitor
import Foundation

extension KeeperCore {
  func open<S: Persistable>(
    _: S.Type,
    key: String?,
    on dispatcher: Dispatcher,
    recovering decide: (KeeperFailure) throws(KeeperFailure) -> Recovery
  ) throws(KeeperFailure) -> S {
    if lock.withLock({ folder == nil }) { throw closedFailure }
    let name = FileName(of: S.archive.name, key: key)
    // While this closure runs, no other thread can create the store or use it.
    let (store, isNew) = try dispatcher.instantiate(S.self) { () throws(KeeperFailure) in
      guard let folder = lock.withLock({ folder }) else { throw closedFailure }
      // If an older store is alive, its last change might not be in the file yet.
      let former = try formerStore(S.self, name)
      let kept = KeptStore<S>(name, on: dispatcher) { [weak self] isRetry in
        releaseAfterUnlocking(self)
        self?.scheduleSave(of: name, isRetry: isRetry)
      }
      releaseAfterUnlocking(kept)
      let store = try kept.load(from: folder, isWriter: role == .saving, recovering: decide) {
        value in
        try withDispatcher(dispatcher) {
          let store = S()
          releaseAfterUnlocking(store)
          if let value { try store.restore(value) }
          return store
        }
      }
      let watcher = kept.attach(to: store, savesTimeTravel: savesTimeTravel)
      try add(kept, named: name, replacing: former)
      // A follower saves nothing, so its stores need no watchers.
      return (store, role == .saving ? watcher : nil)
    }
    if isNew {
      // The writer might have replaced the file after this thread read it.
      if role == .following { folderDidChange() }
    } else if !(keptStore(name)?.belongs(to: store) ?? false) {
      throw storeExists(S.self, name)
    }
    return store
  }

  /// Returns the value on the disk of an open store.
  func saved<S: Persistable>(_: S.Type, key: String?) -> Constant<S.Saved> {
    let kept = keptStore(FileName(of: S.archive.name, key: key)) as? KeptStore<S>
    guard let saved = kept?.saved else {
      let open = key.map { "open(\(S.self).self, key: \"\($0)\", on:)" } ?? "open(\(S.self).self)"
      preconditionFailure("A keeper knows no saved value of \(S.self) before \(open).")
    }
    return Constant(saved)
  }

  private func keptStore(_ name: FileName) -> (any AnyKeptStore)? {
    lock.withLock { stores[name.inTable] }
  }

  /// Returns the entry of an earlier store with the same archive, which has been deallocated.
  private func formerStore<S: Persistable>(
    _: S.Type,
    _ name: FileName
  ) throws(KeeperFailure) -> (any AnyKeptStore)? {
    // This thread might have the last references to the entry and its store, and holds the lock of the creation.
    let former = keptStore(name)
    let store = former?.anyStore
    releaseAfterUnlocking((former, store))
    guard let former, store != nil else { return former }
    precondition(
      former is KeptStore<S>,
      "\(S.self) and another store of this keeper have archives named \"\(S.archive.name)\"."
    )
    throw storeExists(S.self, name)
  }

  /// Adds a store, unless the keeper was closed, or another store was added, since this thread called
  /// `formerStore`.
  private func add<S: Persistable>(
    _ kept: KeptStore<S>,
    named name: FileName,
    replacing former: (any AnyKeptStore)?
  ) throws(KeeperFailure) {
    let (isClosed, isAdded) = lock.withLock {
      let isAdded = folder != nil && stores[name.inTable] === former
      if isAdded {
        stores[name.inTable] = kept
        if !name.hasKey, former == nil { namesWithoutKey.append(name.inTable) }
      }
      return (folder == nil, isAdded)
    }
    if isClosed { throw closedFailure }
    if !isAdded { throw storeExists(S.self, name) }
  }

  private func storeExists<S: Persistable>(_: S.Type, _ name: FileName) -> KeeperFailure {
    let file = directory.appendingPathComponent(name.current)
    return KeeperFailure(file, nil, KeeperFailure.Cause.storeExists("\(S.self)"))
  }
}
