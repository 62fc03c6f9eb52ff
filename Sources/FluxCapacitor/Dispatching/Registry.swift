import Synchronization

/// The stores of one dispatcher, held weakly, by the type of the states that reach them.
///
/// Its lock is held for a few instructions and never while user code runs: the init of a store runs
/// outside it, and stores that a lookup has retained are released outside it.
@usableFromInline final class Registry: @unchecked Sendable {
  @usableFromInline let lock = Lock()

  /// The dispatcher's turn: held by the thread that reduces, or is in a transaction or a read.
  @usableFromInline let turn = Lock()

  @usableFromInline let routes = RouteTable()

  /// The work in progress on behalf of the dispatcher.
  let pendingWork: PendingWork

  /// Called before and after every reduce while `isObserved` is set. It is set once, under `lock`,
  /// before `isObserved` is, so a thread whose route is linked to it can read it without the lock.
  @exclusivity(unchecked) @usableFromInline var observer: (any ReduceObserver)?

  /// Whether the observer wants to be called; written under `lock`. Read without the lock, it is
  /// only a hint: `routeIfObserved(for:)` checks it again under the lock, nothing but a note for
  /// tests depends on it in `beginDeferral(of:)`, and a dispatch may miss an observer that is added
  /// at that moment. So relaxed is enough to read it.
  @usableFromInline let isObserved = ScheduledAtomic(false)

  // Guarded by `lock`.
  @exclusivity(unchecked) var creations: [Creation] = []
  @exclusivity(unchecked) var awaited: [UInt32: Creation] = [:]

  init(pendingWork: PendingWork = PendingWork()) {
    self.pendingWork = pendingWork
    setLive(true)
  }

  /// The route of a type of states, if there is one.
  ///
  /// It lives as long as the registry, so no reference is counted.
  @inlinable func route<State: DispatchState>(for _: State.Type) -> Unmanaged<Route<State>>? {
    guard let route = routes.route(for: ObjectIdentifier(State.self)) else { return nil }
    // The key is the type of the route's states.
    return .fromOpaque(route.toOpaque())
  }

  /// The route of a type of states, created if there is none. The lock must be held.
  func routeForRegistering<State: DispatchState>(_: State.Type) -> Route<State> {
    if let route = route(for: State.self) { return route.takeUnretainedValue() }
    let route = Route<State>()
    if isObserved.unscheduled.load(ordering: .relaxed) { route.setObserved(true) }
    routes.insert(route)
    return route
  }

  /// Links a route's registrations and its channel for reducing. The turn must be held.
  @usableFromInline func link<State: DispatchState>(_ route: Route<State>) {
    lock.withLock { route.link() }
    if route.isLinkedToObserver { observer?.willReduce(in: route.linked) }
  }

  /// The channel that delivers the dispatched states of a type.
  func channel<State: DispatchState>(of _: State.Type) -> EventChannel<State> {
    lock.withLock { routeForRegistering(State.self).channelOfStates() }
  }

  /// The stores that are alive and registered, in no particular order.
  var allStores: [any Storable] {
    lock.withLock { routes.routes.flatMap { $0.allStores() } }.compactMap { $0 as? any Storable }
  }

  /// Removes the registrations whose stores are deallocated.
  @usableFromInline func removeDead<State: DispatchState>(of _: State.Type) {
    remove(of: State.self) { registration in registration.store == nil }
  }

  /// Unregisters one store.
  ///
  /// - Returns: Whether it was registered here.
  func unregister<S: Storable>(_ store: S) -> Bool {
    remove(of: S.DispatchStateType.self) { $0.store === store }
  }

  func unregisterAll() {
    lock.withLock { for route in routes.routes { route.cancelAll() } }
  }

  @discardableResult private func remove<State: DispatchState>(
    of _: State.Type,
    where isUnwanted: (Registration<State>) -> Bool
  ) -> Bool {
    guard let route = route(for: State.self)?.takeUnretainedValue() else { return false }
    // Filtered outside the lock, because a store that is looked at is released afterwards.
    let unwanted = lock.withLock { route.registrations.map(\.self) }.filter(isUnwanted)
    guard !unwanted.isEmpty else { return false }
    lock.withLock {
      for registration in unwanted { registration.cancel() }
      route.removeCancelled()
    }
    return true
  }
}

extension Registry {
  private static let liveLock = Lock()

  /// The registries of all live dispatchers, held strongly until those are deallocated: a weak
  /// reference would make counting each reference three times as slow. Guarded by `liveLock`.
  @exclusivity(unchecked)
  nonisolated(unsafe) private static var registries: [ObjectIdentifier: Registry] = [:]

  /// The registries of all live dispatchers, among which a store finds its own.
  static var live: [Registry] { liveLock.withLock { Array(registries.values) } }

  func setLive(_ isLive: Bool) {
    Registry.liveLock.withLock { Registry.registries[ObjectIdentifier(self)] = isLive ? self : nil }
  }
}

/// What a dispatcher calls before and after every reduce, with its turn held.
@usableFromInline protocol ReduceObserver: AnyObject, Sendable {
  /// Called when a state is about to be reduced in those of the stores that still exist.
  func willReduce<State: DispatchState>(in registrations: [Registration<State>])

  /// Called when a state has been reduced, and before any observer is called.
  ///
  /// - Parameter stores: Those that have reduced it, in the order in which their reduces ended.
  /// - Returns: What to release after the turn.
  func didReduce(
    _ state: any DispatchState,
    in stores: [any Storable.Type],
    from place: SourcePlace
  ) -> [AnyObject]
}

/// Where a state was invoked.
@usableFromInline typealias SourcePlace = (fileID: StaticString, line: UInt)
