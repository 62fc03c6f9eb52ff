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
    if name.isTooLong {
      let limit = FileName.longestName - name.name.utf8.count + S.archive.name.utf8.count
      throw failure(.nameTooLong(limit: limit), of: name)
    }
    // While this closure runs, no other thread can create the store or use it.
    let (store, isNew) = try dispatcher.instantiate(S.self) { () throws(KeeperFailure) in
      guard let folder = lock.withLock({ folder }) else { throw closedFailure }
      try beginOpening(S.self, name)
      defer { lock.withLock { _ = openings.remove(name.inTable) } }
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
      let former = keptStore(name) as? KeptStore<S>
      releaseAfterUnlocking(former)
      let watcher = withDispatcher(dispatcher) {
        kept.attach(to: store, after: former?.saved, savesTimeTravel: savesTimeTravel)
      }
      try add(kept, named: name, from: folder)
      // A follower saves nothing, so its stores need no watchers.
      return (store, role == .saving ? watcher : nil)
    }
    if isNew {
      // The writer might have replaced the file after this thread read it.
      if role == .following { folderDidChange([name.current]) }
    } else if !reopen(name, store) {
      throw failure(.storeExists("\(S.self)"), of: name)
    }
    return store
  }

  /// Returns whether a store is open. A `close` in progress then leaves it open.
  private func reopen(_ name: FileName, _ store: any Persistable) -> Bool {
    let kept = keptStore(name)
    releaseAfterUnlocking(kept)
    guard let kept, kept.belongs(to: store) else { return false }
    return lock.withLock {
      note(kept)
      return stores[name.inTable] === kept
    }
  }

  /// Returns the value on the disk of an open store.
  func saved<S: Persistable>(_: S.Type, key: String?) -> Constant<S.Saved> {
    let kept = keptStore(FileName(of: S.archive.name, key: key)) as? KeptStore<S>
    guard let saved = kept?.saved else {
      let open = key.map { "open(\(S.self).self, key: \"\($0)\", on:)" } ?? "open(\(S.self).self)"
      trap("A keeper knows no saved value of \(S.self) before \(open).")
    }
    return Constant(saved)
  }

  private func keptStore(_ name: FileName) -> (any AnyKeptStore)? {
    lock.withLock { stores[name.inTable] }
  }

  /// Notes that this thread opens a store, unless another one with the same archive is open or being opened.
  private func beginOpening<S: Persistable>(_: S.Type, _ name: FileName) throws(KeeperFailure) {
    while true {
      // This thread might have the last references to the entry and its store, and holds the lock of the creation.
      let former = keptStore(name)
      let store = former?.anyStore
      releaseAfterUnlocking((former, store))
      if let former, store != nil {
        guard former is KeptStore<S> else {
          trap(
            "\(S.self) and another store of this keeper have archives named \"\(S.archive.name)\"."
          )
        }
        // The last change of the older store might not be in the file yet.
        throw failure(.storeExists("\(S.self)"), of: name)
      }
      let (isBegun, isOpening) = lock.withLock {
        if openings.contains(name.inTable) { return (false, true) }
        let isBegun = stores[name.inTable] === former
        if isBegun { openings.insert(name.inTable) }
        return (isBegun, false)
      }
      if isOpening { throw failure(.storeExists("\(S.self)"), of: name) }
      if isBegun { return }
    }
  }

  /// Adds a store, unless the keeper was closed since this thread began to open the store.
  private func add<S: Persistable>(
    _ kept: KeptStore<S>,
    named name: FileName,
    from folder: Folder
  ) throws(KeeperFailure) {
    let (isClosed, isReopened, former) = lock.withLock {
      guard let present = self.folder else { return (true, false, nil as (any AnyKeptStore)?) }
      // The folder was deleted meanwhile. No other thread knows the new object yet.
      let isReopened = present !== folder && role == .saving
      if isReopened { kept.forgetFile() }
      note(kept)
      let former = stores.updateValue(kept, forKey: name.inTable)
      if !name.hasKey, former == nil { namesWithoutKey.append(name.inTable) }
      return (false, isReopened, former)
    }
    releaseAfterUnlocking(former)
    if isClosed { throw closedFailure }
    if isReopened { scheduleSave(of: name, isRetry: false) }
  }

  /// Notes that a store is opened. The caller must hold the lock.
  private func note(_ kept: any AnyKeptStore) {
    lastOpening += 1
    kept.opening = lastOpening
  }

  private func failure(_ cause: KeeperFailure.Cause, of name: FileName) -> KeeperFailure {
    KeeperFailure(directory.appendingPathComponent(name.current), nil, cause)
  }
}
