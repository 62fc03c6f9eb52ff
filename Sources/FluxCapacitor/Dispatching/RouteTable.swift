import Synchronization

/// The routes of a registry, by the type of their states. A lookup takes no lock.
///
/// The key is the address of the type's metadata, which one multiplication spreads well: a lookup
/// takes 2 ns where a `Dictionary`, whose hashing withstands attackers, takes 15.
///
/// Routes are never removed, and are inserted under the registry's lock. A slot is written once.
/// Before half of the slots are taken, twice as many replace them; the earlier ones live as long as
/// the table, because another thread may be looking up a route in them.
///
/// Slots and `latest` are stored releasing and loaded acquiring, so a thread that sees a route, or
/// the new slots, sees their contents. A thread that doesn't see them yet acts as if it had come
/// before them.
@usableFromInline struct RouteTable: ~Copyable {
  /// Read while another thread inserts, so nothing else that a lookup uses may be mutable.
  @usableFromInline let latest: ScheduledAtomic<Unmanaged<Slots>>

  private let contents: Contents

  /// Retains what `latest` and the slots point to; guarded by the registry's lock.
  private final class Contents {
    @exclusivity(unchecked) var generations: [Slots]
    @exclusivity(unchecked) var routes: [AnyRoute] = []

    init(_ slots: Slots) {
      generations = [slots]
    }
  }

  init() {
    let slots = Slots(count: 8)
    contents = Contents(slots)
    latest = ScheduledAtomic(.passUnretained(slots))
  }

  /// All routes. The registry's lock must be held.
  var routes: [AnyRoute] { contents.routes }

  /// The route with a key, if any. It lives as long as the table, so no reference is counted.
  @inlinable func route(for key: ObjectIdentifier) -> Unmanaged<AnyRoute>? {
    let slots = latest.read { $0.load(ordering: .acquiring) }
    return slots.use { slots in
      var index = slots.firstIndex(for: key)
      while let route = slots.first[index].load(ordering: .acquiring) {
        if route.use({ $0.key == key }) { return route }
        index = (index + 1) & slots.mask
      }
      return nil
    }
  }

  /// Adds a route for a type that has none. The registry's lock must be held.
  func insert(_ route: AnyRoute) {
    contents.routes.append(route)
    let slots = contents.generations[contents.generations.count - 1]
    latest.write { latest in
      if contents.routes.count * 2 <= slots.mask { return slots.insert(route) }
      let slots = Slots(count: (slots.mask + 1) * 2)
      for route in contents.routes { slots.insert(route) }
      contents.generations.append(slots)
      latest.store(.passUnretained(slots), ordering: .releasing)
    }
  }
}

extension RouteTable {
  /// A hash table of routes. The number of slots is a power of two, and at most half are taken.
  @usableFromInline final class Slots {
    @usableFromInline let mask: Int
    @usableFromInline let first: UnsafeMutablePointer<Atomic<Unmanaged<AnyRoute>?>>

    init(count: Int) {
      mask = count - 1
      first = .allocate(capacity: count)
      for index in 0..<count { (first + index).initialize(to: Atomic(nil)) }
    }

    deinit {
      first.deinitialize(count: mask + 1).deallocate()
    }

    func insert(_ route: AnyRoute) {
      var index = firstIndex(for: route.key)
      // Relaxed, because all insertions are made under the registry's lock.
      while first[index].load(ordering: .relaxed) != nil { index = (index + 1) & mask }
      first[index].store(.passUnretained(route), ordering: .releasing)
    }

    @inlinable func firstIndex(for key: ObjectIdentifier) -> Int {
      // The upper half of the product depends on every bit of the address.
      let product = UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15
      return Int(truncatingIfNeeded: product >> 32) & mask
    }
  }
}

/// A route, whatever the type of its states.
@usableFromInline class AnyRoute {
  /// The type of the states.
  @usableFromInline final let key: ObjectIdentifier

  init(key: ObjectIdentifier) {
    self.key = key
  }

  /// Unregisters every store. The registry's lock must be held.
  func cancelAll() {}

  /// The stores that are alive and registered. The registry's lock must be held.
  func allStores() -> [AnyObject] { [] }

  /// Sets whether the registry's observer wants the states. The registry's lock must be held.
  func setObserved(_ isObserved: Bool) {}
}
