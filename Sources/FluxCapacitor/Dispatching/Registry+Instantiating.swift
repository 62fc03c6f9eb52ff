extension Registry {
  /// Returns the single live store of a type, and creates it if there is none.
  ///
  /// A registered store of a subclass takes the place of its superclass, unless a store of the superclass
  /// itself exists or is being created.
  func instantiate<S: Storable>(_: S.Type) -> S {
    let thread = CurrentThread.current
    // These may be the last references to the stores. So they are released at the end, when this thread
    // holds no lock and creates no store.
    var seen: [any Storable<S.DispatchStateType>] = []
    defer { withExtendedLifetime(seen) {} }
    while true {
      let (store, creation) = find(S.self, on: thread, seen: &seen)
      if let store { return store }
      if let creation, creation.thread == thread.id { return create(creation, on: thread) }
      creation?.completion.withLock {}
    }
  }

  /// Finds the store of a type or its creation on a thread, or else begins a creation.
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
    if let creation = creations.first(where: { $0.type == S.self }) {
      if let cycle = cycle(from: creation, on: thread.id) { trapInCycle(of: cycle) }
      awaited[thread.id] = creation
      return (nil, creation)
    }
    if let store = live.lazy.compactMap({ $0 as? S }).first { return (store, nil) }
    let creation = Creation(of: S.self, on: thread.id)
    creations.append(creation)
    return (nil, creation)
  }

  private func create<S: Storable>(_ creation: Creation, on thread: CurrentThread) -> S {
    // States that the init invokes are deferred until the store is registered. This thread must not wait
    // for a turn, because other threads may be waiting for the store.
    thread.pointee.dispatchDeferrals += 1
    thread.pointee.openCreations += 1
    let store = S()
    thread.pointee.openCreations -= 1
    thread.pointee.dispatchDeferrals -= 1

    lock.withLock {
      routeForRegistering(S.DispatchStateType.self).register(store)
      creations.removeAll { $0 === creation }
      awaited = awaited.filter { $0.value !== creation }
    }
    creation.completion.unlock()
    thread.finish()
    return store
  }

  /// Returns the types of stores that would wait for each other if this thread waited, or `nil` if none
  /// would. The lock must be held.
  private func cycle(from wanted: Creation, on thread: UInt32) -> [any Any.Type]? {
    var path: [any Any.Type] = []
    var next: Creation? = wanted
    while let creation = next {
      let own = creations.filter { $0.thread == creation.thread }
      path += own.drop { $0 !== creation }.map(\.type)
      if creation.thread == thread { return path + [wanted.type] }
      next = awaited[creation.thread]
    }
    return nil
  }

  private func trapInCycle(of types: [any Any.Type]) -> Never {
    trap(
      "The initializers of these stores instantiate each other: "
        + "\(types.map(sourceName(of:)).joined(separator: " → ")).",
      "Let one store instantiate the other after its initializer, or pass it values."
    )
  }

  /// A store that a thread is creating.
  ///
  /// Other threads that request the store wait until it is registered.
  final class Creation: Sendable {
    let type: any Any.Type
    let thread: UInt32

    /// The lock that the creating thread holds until the store is registered.
    let completion = Lock()

    init(of type: any Any.Type, on thread: UInt32) {
      self.type = type
      self.thread = thread
      completion.lock()
    }
  }
}
