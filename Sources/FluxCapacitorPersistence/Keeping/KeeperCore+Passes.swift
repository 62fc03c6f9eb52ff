import FluxCapacitor

extension KeeperCore {
  /// Begins a pass, and returns the callers that wait for it.
  func beginPass(_ scope: Scope) -> [Caller] {
    let (timer, callers) = lock.withLock {
      // A change from now on starts a new timer.
      let timer = scope.isOne ? nil : timers.removeValue(forKey: false)
      isPassRunning = true
      guard scope == .all else { return (timer, [Caller]()) }
      changedNames.formUnion(flushes.compactMap(\.name?.inTable))
      defer { flushes = [] }
      return (timer, flushes)
    }
    timer?.task.cancel()
    return callers
  }

  /// Ends a pass, and returns its first failure.
  func endPass(_ scope: Scope, _ failures: [PassFailure], for callers: [Caller]) -> KeeperFailure? {
    let (isOpen, wasReleased) = lock.withLock {
      isPassRunning = false
      return (self.isOpen, keeperWasReleased)
    }
    let first = failures.first?.failure ?? standingFailure
    // The pass of one store tells nothing about a failure of the other stores.
    var isKnown = !scope.isOne || first != nil
    // The values of a released keeper don't change any more, so another attempt to encode them is useless.
    let isHopeless = failures.allSatisfy { failure in
      if case .notEncodable = failure.failure.cause { wasReleased } else { false }
    }
    switch scope {
    case .last where isHopeless: release()
    case .one(let name, let opening) where failures.isEmpty:
      forget(name, unlessOpenedAfter: opening)
      isKnown = isKnown || failure.value?.file == url(of: name)
    default: break
    }
    if isOpen, isKnown, failure.value != first { failure.value = first }
    let named = Dictionary(failures.map { ($0.name, $0.failure) }) { first, _ in first }
    for (name, continuation) in callers {
      let own = name == nil ? failures.first?.failure : named[nil] ?? named[name]
      continuation.resume(returning: own)
    }
    return failures.first?.failure
  }

  /// The failures of a pass after the keeper was closed. You may close a keeper twice, but you can't flush a closed keeper.
  func failuresAfterClose(_ scope: Scope) -> [PassFailure] {
    scope == .all ? [(nil, failure(.closed))] : []
  }

  /// The stores that a pass has to read, in the order of their names, because the order of a dictionary varies.
  func stores(in scope: Scope) -> [any AnyKeptStore] {
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

  /// The stores of each dispatcher.
  func grouped(_ stores: [any AnyKeptStore]) -> [[any AnyKeptStore]] {
    let groups = Dictionary(grouping: stores.indices) { index in
      stores[index].dispatcher.map(ObjectIdentifier.init)
    }
    return groups.values.sorted { $0[0] < $1[0] }.map { indices in indices.map { stores[$0] } }
  }

  /// Calls a closure with the stores of each dispatcher, in a turn of this dispatcher.
  func forEachDispatcher(
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

  func takeSnapshots(of stores: [any AnyKeptStore], in scope: Scope) {
    forEachDispatcher(of: stores) { stores in
      for store in stores { store.takeSnapshot(ifChanged: scope == .changed) }
    }
  }

  /// Schedules another save of the stores that couldn't be written.
  func retrySnapshots(of stores: [any AnyKeptStore]) {
    forEachDispatcher(of: stores) { stores in
      for store in stores { store.retrySnapshot() }
    }
  }

  func note(_ failures: [PassFailure], in scope: Scope) {
    let timer = lock.withLock {
      // Passes that fail before the end of the present pause don't lengthen the next one.
      if !failures.isEmpty { failedPasses += timers[true] == nil ? 1 : 0 }
      if !failures.isEmpty || scope.isOne { return nil as Task<Void, Never>? }
      failedPasses = 0
      return timers.removeValue(forKey: true)?.task
    }
    timer?.cancel()
  }

  /// Closes the keeper.
  func release() {
    // This thread releases the contents after unlocking, because a store's `deinit` is user code.
    let contents = lock.withLock {
      defer { stores = [:] }
      return (takePlace(), stores)
    }
    withExtendedLifetime(contents) {}
  }

  /// Forgets a store that is closed, with its changes since the last snapshot, unless it was opened again meanwhile.
  private func forget(_ name: FileName, unlessOpenedAfter opening: Int?) {
    let store: (any AnyKeptStore)? = lock.withLock {
      guard stores[name.inTable]?.opening == opening else { return nil }
      changedNames.remove(name.inTable)
      return stores.removeValue(forKey: name.inTable)
    }
    // This thread releases the store after unlocking.
    withExtendedLifetime(store) {}
  }
}
