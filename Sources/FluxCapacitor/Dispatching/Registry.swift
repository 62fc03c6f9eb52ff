import Synchronization

/// The stores of one dispatcher, held weakly and grouped by the type of the states that reach them.
///
/// A thread holds the registry's lock for a few instructions, and never while user code runs. A thread that
/// holds the lock neither runs a store's initializer nor releases a store.
@usableFromInline final class Registry: @unchecked Sendable {
  @usableFromInline let lock = Lock()

  /// The dispatcher's turn, a lock that a thread holds during a reduce, a transaction or a read.
  @usableFromInline let turn = Lock()

  @usableFromInline let routes = RouteTable()

  /// The dispatcher's unfinished work, such as deferred dispatches, which `settled()` awaits.
  let pendingWork: PendingWork

  /// The observer that a dispatching thread calls before and after every reduce while `isIntercepted` is true.
  ///
  /// A thread sets `observer` once, under `lock`, before `isIntercepted` becomes true. Because of releasing and
  /// acquiring, a thread that reads true also sees `observer`. A dispatch is allowed to miss an observer that
  /// another thread is adding at that moment.
  @usableFromInline var observer: (any ReduceObserver)?

  @usableFromInline let observerIsEnabled = ScheduledAtomic(false)

  /// Whether a watcher might wait for a change of its store, so that a reduce or a transaction must look for watchers.
  ///
  /// Relaxed ordering is enough, because a transaction that races with the registration of a store may count as earlier.
  @usableFromInline let isWatched = Atomic(false)

  /// The number of changes to the set of registered stores, not counting releases.
  ///
  /// Relaxed ordering is enough, because a reduce that races with a change may count as earlier.
  let changeCount = Atomic(0)

  #if DEBUG
    /// Whether a state that reaches no store is reported to `Dispatcher.onUnreachedState`.
    let reportsUnreachedStates: Bool
  #endif

  /// - Parameter isReporting: Whether a state that reaches no store is reported, in a debug build. By default, a
  ///   dispatcher that a test creates reports what the test's own one does.
  init(pendingWork: PendingWork = PendingWork(), reportingUnreachedStates isReporting: Bool? = nil)
  {
    self.pendingWork = pendingWork
    #if DEBUG
      reportsUnreachedStates = isReporting ?? Dispatcher.shared.registry.reportsUnreachedStates
    #endif
  }

  /// Returns the route of a type of states, and creates a missing route.
  ///
  /// The caller must hold the registry's lock.
  func routeForRegistering<State: DispatchState>(_: State.Type) -> Route<State> {
    if let route = routes.route(for: State.self) { return route.takeUnretainedValue() }
    let route = Route<State>()
    routes.insert(route)
    return route
  }

  /// Lets a reduce use the latest receivers of a route. The caller must hold the dispatcher's turn.
  @usableFromInline func update<State: DispatchState>(_ route: Route<State>) {
    lock.withLock { route.takeOverReceivers() }
  }

  /// Returns the channel that delivers the dispatched states of a type.
  func channel<State: DispatchState>(of _: State.Type) -> EventChannel<State> {
    lock.withLock { routeForRegistering(State.self).channelOfStates() }
  }

  /// The live, registered stores, in no particular order. The caller releases the stores outside the turn.
  var allStores: [any Storable] {
    lock.withLock { routes.routes.flatMap { $0.allStores() } }.compactMap { $0 as? any Storable }
  }

  /// Removes the registrations of deallocated stores from the route of a type of states.
  @usableFromInline func removeDead<State: DispatchState>(of _: State.Type) {
    // `live` might hold the last references.
    let live = lock.withLock {
      let route = routeForRegistering(State.self)
      defer { route.removeCancelled() }
      return route.liveStores()
    }
    releaseAfterUnlocking(live)
  }

  func unregisterAll() {
    lock.withLock {
      changeCount.add(1, ordering: .relaxed)
      for route in routes.routes { route.cancelAll() }
    }
  }
}

// MARK: - The dispatchers of all stores

extension Registry {
  private static let registeredLock = Lock(isOfProcess: true)

  /// The registrations of all dispatchers with their registries, by the addresses of the stores. The table is
  /// guarded by `registeredLock`.
  ///
  /// The table retains a registry until the registry's dispatcher is deallocated. A weak reference would triple
  /// the time of each retain and release of the registry.
  nonisolated(unsafe) private static var registered:
    [ObjectIdentifier: (registration: AnyRegistration, registry: Registry)] = [:]

  /// Unregisters a store from its dispatcher, if the store is registered.
  ///
  /// - Complexity: O(n) in the number of stores that reduce the same type of states in the same dispatcher.
  static func unregister<S: Storable>(_ store: S) {
    let found = registeredLock.withLock { registered[ObjectIdentifier(store)] }
    guard let (registration, registry) = found else { return }
    registry.lock.withLock {
      registration.cancel()
      registry.changeCount.add(1, ordering: .relaxed)
      registry.routeForRegistering(S.DispatchStateType.self).removeCancelled()
    }
  }

  /// Returns whether a live store for a type of states is registered with any dispatcher.
  static func hasStores<State: DispatchState>(for _: State.Type) -> Bool {
    let registrations = registeredLock.withLock { registered.values.map(\.registration) }
    let store = registrations.lazy.compactMap { ($0 as? Registration<State>)?.store }.first
    // This might be the last reference.
    releaseAfterUnlocking(store)
    return store != nil
  }

  /// Adds the registration of a store to the table.
  func add(_ registration: AnyRegistration, of store: AnyObject) {
    Registry.registeredLock.withLock {
      Registry.registered[ObjectIdentifier(store)] = (registration, self)
    }
  }

  /// Removes registrations from the table, unless a later store has taken the address of a deallocated store.
  static func remove(_ registrations: [AnyRegistration]) {
    registeredLock.withLock {
      for registration in registrations
      where registered[registration.address]?.registration === registration {
        registered[registration.address] = nil
      }
    }
  }
}

/// An object that a dispatcher calls before and after every reduce, while the thread holds the turn.
@usableFromInline protocol ReduceObserver: AnyObject, Sendable {
  /// Called before the stores of a route reduce a state.
  ///
  /// Some of the registered stores might already be deallocated.
  func willReduce<State: DispatchState>(on route: Route<State>)

  /// Called after the stores have reduced a state, and before the thread calls any observer.
  ///
  /// - Parameter stores: The types of the stores that reduced the state, in the order in which their reduces
  ///   ended.
  /// - Returns: The objects that the dispatcher releases after the turn.
  func didReduce(
    _ state: any DispatchState,
    in stores: [any Storable.Type],
    from location: SourceLocation,
    of registry: Registry
  ) -> [AnyObject]
}

/// The source location at which a state was invoked.
@usableFromInline typealias SourceLocation = (fileID: StaticString, line: UInt)

#if DEBUG
  extension Dispatcher {
    /// Creates what the process creates only once. Otherwise, the locks of these objects would receive numbers of the
    /// first schedule that uses them, and a seed would give other schedules in a process that has created them already.
    package static func prepareForSchedules() { _ = (ofProcess, Tracker.readsAreUndetected) }
  }
#endif
