import Synchronization

/// A route, whatever its states.
@usableFromInline
class AnyRoute {
  /// The type of the states.
  @usableFromInline final let key: ObjectIdentifier

  init(key: ObjectIdentifier) {
    self.key = key
  }

  /// Unregisters every store; the registry's lock is held.
  func cancelAll() {
    trap("\(Self.self) leads nowhere.")
  }
}

/// The registered stores that the states of one type reach, in the order of their registration.
@usableFromInline
final class Route<State: DispatchState>: AnyRoute {
  // Guarded by the registry's lock.
  @exclusivity(unchecked) @usableFromInline var registrations: [Registration<State>] = []

  init() {
    super.init(key: ObjectIdentifier(State.self))
  }

  /// The stores that are alive and registered; the registry's lock is held.
  func liveStores() -> [any Storable<State>] {
    registrations.compactMap { registration in
      guard registration.isRegistered else { return nil }
      let store = registration.store
      if store == nil { registration.cancel() }
      return store
    }
  }

  /// Adds a store as the last one, in place of those that are gone; the registry's lock is held.
  func register(_ store: any Storable<State>) {
    registrations.removeAll { !$0.isRegistered }
    registrations.append(Registration(store))
  }

  override func cancelAll() {
    for registration in registrations { registration.cancel() }
    registrations = []
  }
}

/// One store's place in a route. It does not keep the store.
@usableFromInline
final class Registration<State: DispatchState>: Sendable {
  @usableFromInline weak let store: (any Storable<State>)?
  @usableFromInline let registered = Atomic(true)

  init(_ store: any Storable<State>) {
    self.store = store
  }

  @inlinable
  var isRegistered: Bool { registered.load(ordering: .acquiring) }

  func cancel() {
    registered.store(false, ordering: .releasing)
  }
}
