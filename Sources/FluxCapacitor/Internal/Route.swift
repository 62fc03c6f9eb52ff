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

  /// The live store of a type, or of a subclass that stands in for it; the registry's lock is held.
  ///
  /// The stores that it looked at are kept in `seen`, so that none is released under the lock.
  func live<S: Storable<State>>(_: S.Type, seen: inout [any Storable<State>]) -> S? {
    registrations.removeAll { registration in
      guard registration.isRegistered, let store = registration.store else { return true }
      seen.append(store)
      return false
    }
    return seen.first { type(of: $0) == S.self } as? S ?? seen.lazy.compactMap { $0 as? S }.first
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

  /// Told apart from an older store at the same address by the store's being gone.
  let identity: ObjectIdentifier
  @usableFromInline let registered = Atomic(true)

  init(_ store: any Storable<State>) {
    self.store = store
    identity = ObjectIdentifier(store)
  }

  @inlinable
  var isRegistered: Bool { registered.load(ordering: .acquiring) }

  func cancel() {
    registered.store(false, ordering: .releasing)
  }
}
