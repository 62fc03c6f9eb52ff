extension Registry {
  /// Returns the single live store of a type, which a closure creates if there is none.
  ///
  /// If no store of exactly this type exists or is being created, the method returns a registered store of a
  /// subclass.
  ///
  /// - Returns: The store, and whether this call has created the store.
  func instantiate<S: Storable, Failure: Error>(
    _: S.Type,
    creating create: () throws(Failure) -> (S, StoreWatcher?)
  ) throws(Failure) -> (store: S, isNew: Bool) {
    recordOperation("instantiates", S.self)
    let thread = currentThread()
    // The list might hold the last references to these stores.
    var seen: [any Storable<S.DispatchStateType>] = []
    defer { releaseAfterUnlocking(seen) }
    while true {
      let (store, creation) = find(S.self, on: thread, seen: &seen)
      if let store { return (store, false) }
      if let creation, creation.thread == thread.pointee.id {
        return (try finish(creation, on: thread, create), true)
      }
      creation?.completion.withLock {}
    }
  }

  /// Finds the live store of a type or a creation in progress, or else begins a creation on this thread.
  private func find<S: Storable>(
    _: S.Type,
    on thread: CurrentThread,
    seen: inout [any Storable<S.DispatchStateType>]
  ) -> (S?, Creation?) {
    lock.lock()
    defer { lock.unlock() }
    let live = routeForRegistering(S.DispatchStateType.self).liveStores()
    seen += live
    if let store = live.first(where: { type(of: $0) == S.self }) as? S { return (store, nil) }
    let subclass = live.lazy.compactMap { $0 as? S }.first
    let new = Creation(of: S.self, in: self, on: thread.pointee.id)
    let known: Creation? = Creations.update { creations in
      if let creation = creations.all.first(where: { $0.type == S.self && $0.registry === self }) {
        if let cycle = creations.cycle(from: creation, on: thread.pointee.id) {
          trapInCycle(of: cycle)
        }
        creations.awaited[thread.pointee.id] = creation
        return creation
      }
      if subclass == nil { creations.all.append(new) }
      return nil
    }
    if known == nil, subclass == nil { return (nil, new) }
    new.completion.unlock()
    return known.map { (nil, $0) } ?? (subclass, nil)
  }

  private func finish<S: Storable, Failure: Error>(
    _ creation: Creation,
    on thread: CurrentThread,
    _ create: () throws(Failure) -> (S, StoreWatcher?)
  ) throws(Failure) -> S {
    var created: (store: S, watcher: StoreWatcher?)?
    defer {
      lock.withLock {
        if let created {
          changeCount.add(1, ordering: .relaxed)
          let route = routeForRegistering(S.DispatchStateType.self)
          add(route.register(created.store, created.watcher), of: created.store)
          if created.watcher != nil { isWatched.store(true, ordering: .relaxed) }
        }
        Creations.update { creations in
          creations.all.removeAll { $0 === creation }
          creations.awaited = creations.awaited.filter { $0.value !== creation }
        }
      }
      creation.completion.unlock()
      thread.deliverPlacesAndDispatch()
    }
    // The thread defers the states that the init invokes until the store is registered. The thread must not
    // wait for a dispatcher's turn, because other threads might be waiting for the store.
    thread.pointee.dispatchDeferrals += 1
    thread.pointee.openCreations += 1
    defer {
      thread.pointee.openCreations -= 1
      thread.pointee.dispatchDeferrals -= 1
    }
    let (store, watcher) = try create()
    created = (store, watcher)
    return store
  }

  private func trapInCycle(of types: [any Any.Type]) -> Never {
    trap(
      "The initializers of these stores instantiate each other: "
        + "\(types.map(sourceName(of:)).joined(separator: " → ")).",
      "Let one store instantiate the other after its initializer, or pass it values."
    )
  }

  /// The stores of all dispatchers that threads are creating, because an `init` may instantiate a store of another one.
  fileprivate struct Creations {
    private static let ofProcess = Guarded(Creations())

    var all: [Creation] = []

    /// The creations for which threads wait, by the threads' numbers.
    var awaited: [UInt32: Creation] = [:]

    /// The caller may hold a registry's lock. So this lock is no point at which a test's scheduler can switch threads.
    static func update<Result>(_ body: (inout Creations) -> Result) -> Result {
      ofProcess.withLock(body)
    }

    /// Returns the types of the stores that would wait for each other if a thread waited for a creation.
    ///
    /// The result is `nil` if no stores would wait for each other.
    func cycle(from wanted: Creation, on thread: UInt32) -> [any Any.Type]? {
      var path: [any Any.Type] = []
      var next: Creation? = wanted
      while let creation = next {
        let own = all.filter { $0.thread == creation.thread }
        path += own.drop { $0 !== creation }.map(\.type)
        if creation.thread == thread { return path + [wanted.type] }
        next = awaited[creation.thread]
      }
      return nil
    }
  }

  /// A store that a thread is creating. Other threads that request the store wait for its registration.
  fileprivate final class Creation: Sendable {
    let type: any Any.Type
    let registry: Registry
    let thread: UInt32

    /// The lock that the creating thread holds until the store is registered, while the store's initializer runs.
    let completion = Lock()

    init(of type: any Any.Type, in registry: Registry, on thread: UInt32) {
      (self.type, self.registry, self.thread) = (type, registry, thread)
      completion.lock(holder: thread)
    }
  }
}
