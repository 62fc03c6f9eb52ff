/// The routes by the type of their states.
///
/// The key is the address of the type, which spreads well with one multiplication: a look-up takes
/// 2 ns where a `Dictionary`, whose hashing withstands attackers, takes 15. Routes are never removed.
@usableFromInline
struct RouteTable {
  /// As many slots as a power of two, of which at most half are taken.
  ///
  /// They don't own what `routes` owns already: a look-up then counts no references.
  @usableFromInline var slots: [Unmanaged<AnyRoute>?] = Array(repeating: nil, count: 8)
  private(set) var routes: [AnyRoute] = []

  init() {}

  /// Where the states of a type go, if a store for them has ever been registered.
  @inlinable
  func route<State: DispatchState>(for _: State.Type) -> Route<State>? {
    let key = ObjectIdentifier(State.self)
    var slot = firstSlot(for: key)
    while let route = slots[slot] {
      if route._withUnsafeGuaranteedRef({ $0.key == key }) {
        // The key is the type of the route's states.
        return unsafeDowncast(route.takeUnretainedValue(), to: Route<State>.self)
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  mutating func insert(_ route: AnyRoute) {
    routes.append(route)
    if routes.count * 2 > slots.count {
      slots = Array(repeating: nil, count: slots.count * 2)
      for route in routes { place(route) }
    } else {
      place(route)
    }
  }

  private mutating func place(_ route: AnyRoute) {
    var slot = firstSlot(for: route.key)
    while slots[slot] != nil { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = .passUnretained(route)
  }

  @inlinable
  func firstSlot(for key: ObjectIdentifier) -> Int {
    // The upper half of the product depends on every bit of the address.
    let product = UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product >> 32) & (slots.count - 1)
  }
}
