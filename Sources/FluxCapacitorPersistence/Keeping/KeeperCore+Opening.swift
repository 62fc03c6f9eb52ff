import FluxCapacitor
import Foundation

extension KeeperCore {
  /// Returns the name of a store's file.
  func fileName<S: Persistable>(of _: S.Type, key: String?) throws(KeeperFailure) -> FileName {
    if lock.withLock({ !isOpen }) { throw failure(.closed) }
    let name = FileName(of: S.archive.name, key: key)
    if name.isTooLong {
      let limit = FileName.longestName - name.name.utf8.count + S.archive.name.utf8.count
      throw failure(.nameTooLong(limit: limit), of: name)
    }
    return name
  }

  /// Returns a closure that schedules a save of a store.
  func schedule(_ name: FileName) -> @Sendable (_ isRetry: Bool) -> Void {
    { [weak self] isRetry in
      releaseAfterUnlocking(self)
      self?.scheduleSave(of: name, isRetry: isRetry)
    }
  }

  /// Creates a store, restores its value, and adds the store to the keeper.
  ///
  /// - Parameters:
  ///   - kept: The link between the store and its saved value.
  ///   - load: Returns the store with the saved value. It receives a closure that creates the store.
  ///   - willAdd: A closure that the method calls with the lock, before other threads know the link.
  func create<S: Persistable>(
    _ kept: KeptStore<S>,
    on dispatcher: Dispatcher,
    _ load: (_ makeStore: (S.Saved?) throws -> S) throws(KeeperFailure) -> S,
    willAdd: () -> Void = {}
  ) throws(KeeperFailure) -> (S, StoreWatcher?) {
    releaseAfterUnlocking(kept)
    var restored: S.Saved?
    let store = try load { value in
      restored = value
      return try withDispatcher(dispatcher) {
        let store = S()
        releaseAfterUnlocking(store)
        if let value { try store.restore(value) }
        return store
      }
    }
    let former = keptStore(kept.fileName) as? KeptStore<S>
    releaseAfterUnlocking(former)
    let watcher = withDispatcher(dispatcher) {
      kept.attach(
        to: store,
        with: restored,
        after: former?.saved,
        savesTimeTravel: savesTimeTravel
      )
    }
    if role == .saving, kept.hasReduced { kept.pending = store }
    try add(kept, willAdd)
    // A follower saves nothing, so its stores need no watchers.
    return (store, role == .saving ? watcher : nil)
  }

  /// Returns whether a store is open. A `close` in progress then leaves it open.
  func reopen(_ name: FileName, _ store: any Persistable) -> Bool {
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
    Constant(openStore(S.self, key: key).saved)
  }

  func isSuperseded<S: Persistable>(_: S.Type, key: String?) -> Constant<Bool> {
    let row = openStore(S.self, key: key).kept as? any AnyKeptRow
    return Constant(row?.isSuperseded ?? Variable(false))
  }

  private func openStore<S: Persistable>(
    _: S.Type,
    key: String?
  ) -> (kept: any AnyKeptStore, saved: Variable<S.Saved>) {
    let kept = keptStore(FileName(of: S.archive.name, key: key))
    guard let kept, let saved = (kept as? KeptStore<S>)?.saved else {
      let open = key.map { "open(\(S.self).self, key: \"\($0)\", on:)" } ?? "open(\(S.self).self)"
      trap("A keeper knows no saved value of \(S.self) before \(open), or `load` with a storage.")
    }
    return (kept, saved)
  }

  func keptStore(_ name: FileName) -> (any AnyKeptStore)? {
    lock.withLock { stores[name.inTable] }
  }

  /// Notes that this thread opens a store, unless another one with the same archive is open or being opened.
  ///
  /// - Returns: Nil, or the place at which the caller can wait for another call that is opening the store. Afterward, the
  ///   caller must call `endOpening(_:)`.
  func beginOpening<S: Persistable>(
    _: S.Type,
    _ name: FileName
  ) throws(KeeperFailure) -> (opening: Opening, place: Waiters.Place)? {
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
        // The last change of the older store might not be saved yet.
        throw failure(.storeExists("\(S.self)"), of: name)
      }
      let (isBegun, wait) = lock.withLock { () -> (Bool, (Opening, Waiters.Place)?) in
        if let opening = openings[name.inTable] { return (false, (opening, opening.waiters.add())) }
        let isBegun = stores[name.inTable] === former
        if isBegun { openings[name.inTable] = Opening() }
        return (isBegun, nil)
      }
      if isBegun || wait != nil { return wait }
    }
  }

  /// Lets those callers go on that wait for the opening. If it has failed, they share the error.
  func endOpening(_ name: FileName, failure: KeeperFailure? = nil) {
    let waiting = lock.withLock { () -> [Waiter] in
      let opening = openings.removeValue(forKey: name.inTable)
      opening?.failure = failure
      return opening?.waiters.takeAll() ?? []
    }
    for waiter in waiting { waiter.resume() }
  }

  /// A store that a thread is opening. The keeper's lock guards both variables.
  final class Opening: @unchecked Sendable {
    /// The callers that wait for the opening.
    var waiters = Waiters()

    /// Why the opening has failed, for these callers.
    var failure: KeeperFailure?
  }

  /// Adds a store, unless the keeper was closed since this thread began to open the store.
  private func add<S: Persistable>(
    _ kept: KeptStore<S>,
    _ willAdd: () -> Void
  ) throws(KeeperFailure) {
    let name = kept.fileName
    let (isClosed, mustSave, former) = lock.withLock {
      guard isOpen else { return (true, false, nil as (any AnyKeptStore)?) }
      willAdd()
      note(kept)
      let former = stores.updateValue(kept, forKey: name.inTable)
      if !name.hasKey, former == nil { namesWithoutKey.append(name.inTable) }
      return (false, kept.pending != nil, former)
    }
    releaseAfterUnlocking(former)
    if isClosed { throw failure(.closed) }
    if mustSave { scheduleSave(of: name, isRetry: false) }
  }

  /// Notes that a store is opened. The caller must hold the lock.
  private func note(_ kept: any AnyKeptStore) {
    lastOpening += 1
    kept.opening = lastOpening
  }

  func failure(_ cause: KeeperFailure.Cause, of name: FileName? = nil) -> KeeperFailure {
    KeeperFailure(name.map(url) ?? place, nil, cause)
  }

  func url(of name: FileName) -> URL { place.appendingPathComponent(name.current) }
}
