import Synchronization

/// The routes of a registry by the type of their states. A look-up takes no lock.
///
/// The key is the address of the type, which spreads well with one multiplication: a look-up takes
/// 2 ns where a `Dictionary`, whose hashing withstands attackers, takes 15.
///
/// Routes are never removed, and inserted under the registry's lock. A slot is written once. When
/// slots get scarce, more of them take their place; the earlier ones stay until the end of the table,
/// because another thread may be looking a route up in them.
///
/// A slot and `latest` are stored releasing and loaded acquiring: so a thread that sees a route, or more
/// slots, sees what is in them. One that does not see it yet is as early as if it were not there.
@usableFromInline
struct RouteTable: ~Copyable {
  /// It is read while another thread inserts, and so nothing else of the table may change.
  @usableFromInline let latest: Atomic<Unmanaged<Slots>>

  private let contents: Contents

  /// What the slots only point at; guarded by the registry's lock.
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
    latest = Atomic(.passUnretained(slots))
  }

  /// All routes; the registry's lock is held.
  var routes: [AnyRoute] { contents.routes }

  /// The route with a key, if there is one. It stays as long as the table, so no reference is counted.
  @inlinable
  func route(for key: ObjectIdentifier) -> Unmanaged<AnyRoute>? {
    let slots = latest.load(ordering: .acquiring)
    return slots._withUnsafeGuaranteedRef { slots in
      var index = slots.firstIndex(for: key)
      while let route = slots.first[index].load(ordering: .acquiring) {
        if route._withUnsafeGuaranteedRef({ $0.key == key }) { return route }
        index = (index + 1) & slots.mask
      }
      return nil
    }
  }

  /// Adds a route for a type that has none; the registry's lock is held.
  func insert(_ route: AnyRoute) {
    contents.routes.append(route)
    let slots = contents.generations[contents.generations.count - 1]
    if contents.routes.count * 2 <= slots.mask {
      slots.insert(route)
    } else {
      let slots = Slots(count: (slots.mask + 1) * 2)
      for route in contents.routes { slots.insert(route) }
      contents.generations.append(slots)
      latest.store(.passUnretained(slots), ordering: .releasing)
    }
  }
}

extension RouteTable {
  /// As many slots as a power of two, of which at most half are taken.
  @usableFromInline
  final class Slots {
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
      while first[index].load(ordering: .relaxed) != nil { index = (index + 1) & mask }
      first[index].store(.passUnretained(route), ordering: .releasing)
    }

    @inlinable
    func firstIndex(for key: ObjectIdentifier) -> Int {
      // The upper half of the product depends on every bit of the address.
      let product = UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15
      return Int(truncatingIfNeeded: product >> 32) & mask
    }
  }
}

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

  /// The stores that are alive and registered; the registry's lock is held.
  func allStores() -> [AnyObject] {
    trap("\(Self.self) leads nowhere.")
  }

  /// Has each state come here, to be observed, or only those that a store or an observer of theirs wants;
  /// the registry's lock is held.
  func setObserved(_ isObserved: Bool) {
    trap("\(Self.self) leads nowhere.")
  }
}
