import Dispatch
import Synchronization

/// The stores of one dispatcher, weakly held, by the type of the states that reach them.
///
/// Its lock is held for a few instructions and never while code of the user's runs: the init of a
/// store runs outside it, and a store that a look-up has touched is released outside it.
@usableFromInline
final class Registry: @unchecked Sendable {
  // Everything here is guarded by `lock`.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var routes: [ObjectIdentifier: AnyRoute] = [:]
  @exclusivity(unchecked) private var creations: [Creation] = []
  @exclusivity(unchecked) private var awaited: [UInt32: Creation] = [:]

  @usableFromInline
  init() {}

  /// Where the states of a type go, if a store for them has ever been registered.
  @inlinable
  func route<State>(for _: State.Type) -> Route<State>? {
    lock.lock()
    defer { lock.unlock() }
    guard let route = routes[ObjectIdentifier(State.self)] else { return nil }
    // The key is the type of the route's states.
    return unsafeDowncast(route, to: Route<State>.self)
  }

  /// The registrations of a route, in the order in which they were made.
  @inlinable
  func registrations<State>(in route: Route<State>) -> [Registration<State>] {
    lock.lock()
    defer { lock.unlock() }
    return route.registrations
  }

  /// Forgets the registrations whose stores are gone.
  @usableFromInline
  func removeDead<State>(in route: Route<State>) {
    remove(in: route) { registration in registration.store == nil }
  }

  /// Unregisters one store; answers whether it was registered here.
  func unregister<S: Storable>(_ store: S) -> Bool {
    guard let route = route(for: S.DispatchStateType.self) else { return false }
    let identity = ObjectIdentifier(store)
    return remove(in: route) { registration in registration.identity == identity }
  }

  func unregisterAll() {
    lock.withLock {
      for route in routes.values { route.cancelAll() }
      routes = [:]
    }
  }

  @discardableResult
  private func remove<State>(
    in route: Route<State>,
    where isUnwanted: (Registration<State>) -> Bool
  ) -> Bool {
    let registrations = registrations(in: route)
    let unwanted = registrations.filter(isUnwanted)
    guard !unwanted.isEmpty else { return false }
    for registration in unwanted { registration.cancel() }
    lock.withLock { route.registrations.removeAll { !$0.isRegistered } }
    return true
  }
}

// MARK: - Instantiating

extension Registry {
  /// The one live store of a type, made if there is none.
  func instantiate<S: Storable>(_: S.Type) -> S {
    let thread = CurrentThread.current
    let creation: Creation
    switch findOrBegin(S.self, on: thread) {
    case .found(let store): return store
    case .begun(let begun): creation = begun
    }

    // What the init invokes waits until the store is there to be reached, and no turn is waited for
    // while other threads wait for this very store.
    thread.pointee.dispatchDeferrals += 1
    let store = S()
    thread.pointee.dispatchDeferrals -= 1

    lock.withLock {
      routeForRegistering(S.DispatchStateType.self).registrations.append(Registration(store))
      creations.removeAll { $0 === creation }
    }
    creation.done.leave()
    thread.finish()
    return store
  }

  private enum Found<S> {
    case found(S)
    case begun(Creation)
  }

  /// Finds the live store, after waiting for a thread that is making it, or else begins to make it.
  private func findOrBegin<S: Storable>(_: S.Type, on thread: CurrentThread) -> Found<S> {
    while true {
      // Released when the lock is open again: the last reference may go here, and with it the store.
      var seen: [any Storable<S.DispatchStateType>] = []
      lock.lock()
      let route = routeForRegistering(S.DispatchStateType.self)
      if let store = route.live(S.self, seen: &seen) {
        lock.unlock()
        return .found(store)
      }
      guard let creation = creations.first(where: { $0.type == S.self }) else {
        let creation = Creation(of: S.self, on: thread.id)
        creations.append(creation)
        lock.unlock()
        return .begun(creation)
      }
      if let cycle = cycle(from: creation, on: thread.id) {
        trap(
          """
          The inits of these stores instantiate each other: \
          \(cycle.map(sourceName(of:)).joined(separator: " → ")). Let one of them \
          instantiate the other after its init, or pass on what it needs.
          """
        )
      }
      awaited[thread.id] = creation
      lock.unlock()
      creation.done.wait()
      lock.withLock { awaited[thread.id] = nil }
      withExtendedLifetime(seen) {}
    }
  }

  /// The types that wait for each other if this thread waited for a creation; the lock is held.
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

  /// The route for a type of states, made if there is none; the lock is held.
  private func routeForRegistering<State>(_: State.Type) -> Route<State> {
    let key = ObjectIdentifier(State.self)
    if let route = routes[key] { return unsafeDowncast(route, to: Route<State>.self) }
    let route = Route<State>()
    routes[key] = route
    return route
  }
}

/// A store that a thread is making; others who want it wait for `done`.
private final class Creation: Sendable {
  let type: any Any.Type
  let thread: UInt32
  let done = DispatchGroup()

  init(of type: any Any.Type, on thread: UInt32) {
    self.type = type
    self.thread = thread
    done.enter()
  }
}
