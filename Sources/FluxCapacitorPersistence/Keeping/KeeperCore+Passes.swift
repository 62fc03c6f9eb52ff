import FluxCapacitor

extension KeeperCore {
  /// A failure with the name of the file that it concerns, or with nil if it concerns all files.
  private typealias PassFailure = (name: FileName?, failure: KeeperFailure)

  /// Saves the stores or, if the keeper follows, restores them. Returns the first failure.
  func runPass(_ scope: Scope) -> KeeperFailure? {
    let callers = lock.withLock {
      if !scope.isOne {
        // A change from now on starts a new timer.
        timers[false] = nil
        isAdoptionQueued = false
      }
      isPassRunning = true
      return scope == .all ? flushes.takeAll() : []
    }
    let failures = runPassInFolder(scope)
    // This thread no longer has a reference to the folder, so a caller that releases the keeper also frees the folder.
    for (name, caller) in callers {
      let own = failures.first { name == nil || $0.name == nil || $0.name == name }
      caller.resume(returning: own?.failure)
    }
    return failures.first?.failure
  }

  private func runPassInFolder(_ scope: Scope) -> [PassFailure] {
    // You may close a keeper twice, but you can't flush a closed keeper.
    guard let former = lock.withLock({ self.folder }) else {
      return scope == .all ? [(nil, closedFailure)] : []
    }
    let folder: Folder
    do throws(KeeperFailure) {
      folder = try mustReopen(former, for: scope) ? reopenedFolder() : former
    } catch {
      lock.withLock { isPassRunning = false }
      note([(nil, error)], in: scope)
      failure.value = error
      scheduleSave(of: nil, isRetry: true)
      return [(nil, error)]
    }
    let failures: [PassFailure] =
      switch (role, scope) {
      case (.saving, _): save(scope, to: folder)
      case (.following, .last), (.following, .one): []
      case (.following, _): adopt(scope, from: folder)
      }
    lock.withLock { isPassRunning = false }
    if failures.isEmpty {
      switch scope {
      case .last: release()
      case .one(let name, let opening): forget(name, unlessOpenedAfter: opening)
      case .changed, .all: break
      }
    }
    // The pass of one store tells nothing about a failure of the other stores.
    let first = failures.first?.failure ?? watchFailure
    if failure.value != first, !scope.isOne || first != nil { failure.value = first }
    return failures
  }

  /// The stores that a pass has to read, in the order of their names, because the order of a dictionary varies.
  private func stores(in scope: Scope) -> [any AnyKeptStore] {
    lock.withLock {
      switch scope {
      case .last: return stores.sorted { $0.key < $1.key }.map(\.value)
      case .one(let name, _): return stores[name.inTable].map { [$0] } ?? []
      case .changed, .all:
        let names = role == .saving ? namesWithoutKey + changedNames : Array(changedNames)
        changedNames = []
        return names.sorted().compactMap { stores[$0] }
      }
    }
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
    let folder = try Folder(directory, system, isWriter: role == .saving)
    if role == .saving {
      for store in lock.withLock({ Array(stores.values) }) {
        if try folder.hasNoFile(of: store.fileName) { continue }
        // Without an owner, nobody can learn of the failure or close the keeper.
        if lock.withLock({ keeperWasReleased }) { release() }
        throw KeeperFailure(directory, nil, KeeperFailure.Cause.folderMissing)
      }
    }
    let former = lock.withLock {
      defer {
        (self.folder, watch) = (folder, nil)
        changedNames = Set(stores.keys)
      }
      return (folder: self.folder, watch: watch, stores: Array(stores.values))
    }
    if role == .saving {
      forEachDispatcher(of: former.stores) { stores in
        for store in stores { store.forgetFile() }
      }
      // The present pass might save only one store.
      scheduleSave(of: nil, isRetry: false)
    }
    withExtendedLifetime(former) {}
    return folder
  }

  /// The stores of each dispatcher.
  private func grouped(_ stores: [any AnyKeptStore]) -> [[any AnyKeptStore]] {
    let groups = Dictionary(grouping: stores.indices) { index in
      stores[index].dispatcher.map(ObjectIdentifier.init)
    }
    return groups.values.sorted { $0[0] < $1[0] }.map { indices in indices.map { stores[$0] } }
  }

  /// Calls a closure with the stores of each dispatcher, in a turn of this dispatcher.
  private func forEachDispatcher(
    of stores: [any AnyKeptStore],
    _ body: (_ stores: [any AnyKeptStore]) -> Void
  ) {
    for stores in grouped(stores) {
      // After a dispatcher was deallocated, no reduce can change its stores.
      if let dispatcher = stores[0].dispatcher {
        withDispatcher(dispatcher) { dispatcher.read { body(stores) } }
      } else {
        body(stores)
      }
    }
  }

  private func save(_ scope: Scope, to folder: Folder) -> [PassFailure] {
    let stores = stores(in: scope)
    defer { withExtendedLifetime(stores) {} }
    forEachDispatcher(of: stores) { stores in
      for store in stores {
        store.takeSnapshot(ifChanged: scope == .changed, isLast: scope == .last || scope.isOne)
      }
    }
    let failures = write(stores, to: folder)
    note(failures, in: scope)
    if !failures.isEmpty {
      forEachDispatcher(of: stores) { stores in
        for store in stores { store.retrySnapshot() }
      }
    }
    return failures
  }

  private func note(_ failures: [PassFailure], in scope: Scope) {
    lock.withLock {
      // Passes that fail before the end of the present pause don't lengthen the next one.
      if !failures.isEmpty { failedPasses += timers[true] == nil ? 1 : 0 }
      if failures.isEmpty, !scope.isOne { (failedPasses, timers[true]) = (0, nil) }
    }
  }

  /// Writes the snapshots to the stores' files. One call puts the names of all files on the disk.
  private func write(_ stores: [any AnyKeptStore], to folder: Folder) -> [PassFailure] {
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
      } catch {
        failures.append((store.fileName, error))
      }
    }
    return failures
  }

  private func release() {
    // This thread releases the contents after unlocking, because a store's `deinit` is user code.
    let contents = lock.withLock {
      defer { stores = [:] }
      return (folder.take(), watch.take(), stores)
    }
    withExtendedLifetime(contents) {}
  }

  /// Forgets a store that is closed. If it was opened again meanwhile, it counts as changed, because its changes after the
  /// last snapshot weren't noted.
  private func forget(_ name: FileName, unlessOpenedAfter opening: Int?) {
    // This thread releases the store after unlocking.
    let (store, isForgotten) = lock.withLock {
      guard let store = stores[name.inTable], store.opening == opening else {
        return (stores[name.inTable], false)
      }
      changedNames.remove(name.inTable)
      stores[name.inTable] = nil
      return (store, true)
    }
    guard let store, !isForgotten else { return }
    forEachDispatcher(of: [store]) { $0[0].retrySnapshot() }
  }
}

// MARK: - Following

extension KeeperCore {
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
      for store in stores {
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

extension Array {
  fileprivate mutating func takeAll() -> [Element] {
    defer { self = [] }
    return self
  }
}
