import Synchronization

/// The routes of a registry, by the type of their states. A lookup takes no lock.
///
/// The key is the address of the type's metadata. One multiplication spreads these addresses well, so a
/// lookup takes 2 ns. A `Dictionary` takes 15 ns, because its hash function withstands attackers.
///
/// Routes are inserted under the registry's lock, and never removed. Each insertion publishes a new table.
/// The earlier tables live as long as the new one, because another thread may be searching them.
///
/// `latest` is stored releasing and loaded acquiring, so a thread that sees a table sees its contents. A
/// thread that doesn't see it yet acts as if it had come before the insertion.
@usableFromInline struct RouteTable: ~Copyable {
  /// The latest table. This property owns one reference to it.
  @usableFromInline let latest = ScheduledAtomic(Unmanaged.passRetained(Slots(of: [], after: nil)))

  init() {}

  deinit { latest.unscheduled.load(ordering: .relaxed).release() }

  /// All routes. The registry's lock must be held.
  var routes: [AnyRoute] { latest.unscheduled.load(ordering: .relaxed).use { $0.routes } }

  /// Returns the route of a key, if there is one.
  ///
  /// The route lives as long as the table, so no reference is counted.
  @inlinable func route(for key: ObjectIdentifier) -> Unmanaged<AnyRoute>? {
    latest.read { $0.load(ordering: .acquiring) }.use { slots in
      var index = slots.firstIndex(for: key)
      while let route = slots.first[index] {
        if route.use({ $0.key == key }) { return route }
        index = (index + 1) & slots.mask
      }
      return nil
    }
  }

  /// Adds a route for a type that has none. The registry's lock must be held.
  func insert(_ route: AnyRoute) {
    latest.write { latest in
      let former = latest.load(ordering: .relaxed).takeRetainedValue()
      let slots = Slots(of: former.routes + [route], after: former)
      latest.store(.passRetained(slots), ordering: .releasing)
    }
  }
}

extension RouteTable {
  /// An immutable hash table of routes.
  ///
  /// The number of slots is a power of two. At most half of them are taken.
  @usableFromInline final class Slots {
    @usableFromInline let mask: Int
    @usableFromInline let first: UnsafeMutablePointer<Unmanaged<AnyRoute>?>
    let routes: [AnyRoute]
    private let former: Slots?

    init(of routes: [AnyRoute], after former: Slots?) {
      self.routes = routes
      self.former = former
      let count = max(8, 1 << (Int.bitWidth - (routes.count * 2).leadingZeroBitCount))
      mask = count - 1
      first = .allocate(capacity: count)
      first.initialize(repeating: nil, count: count)
      for route in routes {
        var index = firstIndex(for: route.key)
        while first[index] != nil { index = (index + 1) & mask }
        first[index] = .passUnretained(route)
      }
    }

    deinit { first.deallocate() }

    @inlinable func firstIndex(for key: ObjectIdentifier) -> Int {
      // The upper half of the product depends on every bit of the address.
      let product = UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15
      return Int(truncatingIfNeeded: product >> 32) & mask
    }
  }
}

/// The part of a route that doesn't depend on the type of its states.
@usableFromInline class AnyRoute: AnyReduction {
  /// The type of the states.
  @usableFromInline final let key: ObjectIdentifier

  init(key: ObjectIdentifier) { self.key = key }

  /// Unregisters every store. The registry's lock must be held.
  func cancelAll() {}

  /// Returns the stores that are alive and registered. The registry's lock must be held.
  func allStores() -> [AnyObject] { [] }

  /// Sets whether the registry's observer wants the states. The registry's lock must be held.
  func setObserved(_ isObserved: Bool) {}
}
