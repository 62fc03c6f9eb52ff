import Synchronization

/// The stores of one dispatcher, held weakly, by the type of the states that reach them.
///
/// A thread holds the registry's lock for a few instructions, and never while user code runs. The
/// initializers of stores run outside it. Stores that a lookup has retained are released outside it too.
@usableFromInline final class Registry: @unchecked Sendable {
  @usableFromInline let lock = Lock()

  /// The dispatcher's turn, a lock that a thread holds during a reduce, a transaction or a read.
  @usableFromInline let turn = Lock()

  @usableFromInline let routes = RouteTable()

  /// The work in progress on behalf of the dispatcher.
  let pendingWork: PendingWork

  /// The observer that is called before and after every reduce while `isObserved` is set.
  ///
  /// The observer is set once, under `lock`, before `isObserved` is set. So a thread whose route is linked
  /// to the observer can read this property without the lock.
  @exclusivity(unchecked) @usableFromInline var observer: (any ReduceObserver)?

  /// Whether the observer wants to be called. It is written under `lock`.
  ///
  /// Without the lock, its value is only a hint, so relaxed is enough to read it:
  /// - `routeIfObserved(for:)` checks it again under the lock.
  /// - `beginDeferral(of:)` only makes a note for tests.
  /// - A dispatch may miss an observer that is added at that moment.
  @usableFromInline let isObserved = ScheduledAtomic(false)

  // Guarded by `lock`.
  @exclusivity(unchecked) var creations: [Creation] = []
  @exclusivity(unchecked) var awaited: [UInt32: Creation] = [:]

  init(pendingWork: PendingWork = PendingWork()) {
    self.pendingWork = pendingWork
    setLive(true)
  }

  /// Returns the route of a type of states, if there is one.
  ///
  /// The route lives as long as the registry, so no reference is counted.
  @inlinable func route<State: DispatchState>(for _: State.Type) -> Unmanaged<Route<State>>? {
    guard let route = routes.route(for: ObjectIdentifier(State.self)) else { return nil }
    // The key is the type of the route's states.
    return .fromOpaque(route.toOpaque())
  }

  /// Returns the route of a type of states, and creates it if there is none. The lock must be held.
  func routeForRegistering<State: DispatchState>(_: State.Type) -> Route<State> {
    if let route = route(for: State.self) { return route.takeUnretainedValue() }
    let route = Route<State>()
    if isObserved.unscheduled.load(ordering: .relaxed) { route.setObserved(true) }
    routes.insert(route)
    return route
  }

  /// Links a route's registrations and its channel, for reduces to follow. The turn must be held.
  @usableFromInline func link<State: DispatchState>(_ route: Route<State>) {
    lock.withLock { route.link() }
    if route.isLinkedToObserver { observer?.willReduce(in: route.linked) }
  }

  /// Returns the channel that delivers the dispatched states of a type.
  func channel<State: DispatchState>(of _: State.Type) -> EventChannel<State> {
    lock.withLock { routeForRegistering(State.self).channelOfStates() }
  }

  /// The stores that are alive and registered, in no particular order.
  var allStores: [any Storable] {
    lock.withLock { routes.routes.flatMap { $0.allStores() } }.compactMap { $0 as? any Storable }
  }

  /// Removes the registrations of deallocated stores.
  @usableFromInline func removeDead<State: DispatchState>(of _: State.Type) {
    remove(of: State.self) { registration in registration.store == nil }
  }

  /// Unregisters one store.
  ///
  /// - Returns: Whether the store was registered here.
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
    // The filter runs outside the lock, because it retains each store and then releases it.
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

  /// The registries of all live dispatchers. Guarded by `liveLock`.
  ///
  /// Each reference is strong until the registry's dispatcher is deallocated. A weak reference to a
  /// registry would triple the time that each retain and release of it takes.
  @exclusivity(unchecked)
  nonisolated(unsafe) private static var registries: [ObjectIdentifier: Registry] = [:]

  /// The registries of all live dispatchers, in which a store finds its own registry.
  static var live: [Registry] { liveLock.withLock { Array(registries.values) } }

  func setLive(_ isLive: Bool) {
    Registry.liveLock.withLock { Registry.registries[ObjectIdentifier(self)] = isLive ? self : nil }
  }
}

/// An object that a dispatcher calls before and after every reduce, with the turn held.
@usableFromInline protocol ReduceObserver: AnyObject, Sendable {
  /// Called before the stores of these registrations reduce a state.
  ///
  /// Some of the stores may not exist anymore.
  func willReduce<State: DispatchState>(in registrations: [Registration<State>])

  /// Called after stores have reduced a state, and before any observer is called.
  ///
  /// - Parameter stores: The types of the stores, in the order in which their reduces ended.
  /// - Returns: The objects to release after the turn.
  func didReduce(
    _ state: any DispatchState,
    in stores: [any Storable.Type],
    from place: SourcePlace
  ) -> [AnyObject]
}

/// The source location at which a state was invoked.
@usableFromInline typealias SourcePlace = (fileID: StaticString, line: UInt)
