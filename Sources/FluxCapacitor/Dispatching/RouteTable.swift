import Synchronization

/// A hash table that finds a registry's route by the type of the states, without a lock.
///
/// The key is the address of the type's metadata. One multiplication spreads these addresses well, so a
/// lookup takes 2 ns. A lookup in a `Dictionary` takes 15 ns, because its hash function resists attacks.
///
/// Threads insert routes under the registry's lock, and never remove a route. A route goes into an empty slot,
/// which other threads might be reading. If half of the slots are full, a table of twice the size replaces the
/// table. The new table retains the earlier table, because another thread might still be searching the earlier
/// table. All earlier tables together are smaller than the latest table.
///
/// Threads store a table and a slot with releasing ordering, and load them with acquiring ordering. So a thread
/// that finds a table or a route also sees its contents. A thread that still loads an old table or an empty slot
/// behaves as if its lookup had preceded the insertion.
@usableFromInline struct RouteTable: ~Copyable {
  /// The latest slots, which this property retains.
  @usableFromInline let latest = ScheduledAtomic(
    Unmanaged.passRetained(Slots(count: 8, after: nil))
  )

  init() {}

  deinit { latest.unscheduled.load(ordering: .relaxed).release() }

  /// All routes of the registry. The caller must hold the registry's lock.
  var routes: [AnyRoute] { latest.unscheduled.load(ordering: .relaxed).use { $0.routes } }

  /// Returns the route of a type of states, if the table has such a route.
  ///
  /// The table retains the route, so the result is an unretained reference.
  @inlinable func route<State: DispatchState>(for _: State.Type) -> Unmanaged<Route<State>>? {
    let key = ObjectIdentifier(State.self)
    return latest.read { $0.load(ordering: .acquiring) }.use { slots in
      var index = slots.firstIndex(for: key)
      while let route = slots.first[index].load(ordering: .acquiring) {
        // The cast is safe, because a route's key identifies the type of the route's states.
        if route.use({ $0.key == key }) { return .fromOpaque(route.toOpaque()) }
        index = (index + 1) & slots.mask
      }
      return nil
    }
  }

  /// Adds a route for a type that has no route. The caller must hold the registry's lock.
  func insert(_ route: AnyRoute) {
    latest.write { latest in
      let former = latest.load(ordering: .relaxed)
      if former.use({ $0.insert(route) }) { return }
      let slots = former.use { Slots(count: 2 * ($0.mask + 1), after: $0) }
      slots.insert(route)
      latest.store(.passRetained(slots), ordering: .releasing)
      former.release()
    }
  }
}

extension RouteTable {
  /// The slots of a hash table, which contain references to routes.
  ///
  /// The number of slots is a power of two. Routes fill at most half of the slots.
  @usableFromInline final class Slots {
    @usableFromInline let mask: Int
    @usableFromInline let first: UnsafeMutablePointer<Atomic<Unmanaged<AnyRoute>?>>
    private let former: Slots?

    /// The routes in these slots, guarded by the registry's lock.
    private(set) var routes: [AnyRoute] = []

    /// Creates slots with the routes of the former slots.
    init(count: Int, after former: Slots?) {
      self.former = former
      mask = count - 1
      first = .allocate(capacity: count)
      for index in 0..<count { (first + index).initialize(to: Atomic(nil)) }
      for route in former?.routes ?? [] { insert(route) }
    }

    deinit { first.deallocate() }

    /// Inserts a route, and returns whether the slots have room for the route.
    @discardableResult func insert(_ route: AnyRoute) -> Bool {
      guard 2 * routes.count <= mask else { return false }
      routes.append(route)
      var index = firstIndex(for: route.key)
      while first[index].load(ordering: .relaxed) != nil { index = (index + 1) & mask }
      first[index].store(.passUnretained(route), ordering: .releasing)
      return true
    }

    @inlinable func firstIndex(for key: ObjectIdentifier) -> Int {
      // The upper half of the product depends on every bit of the address.
      let product = UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15
      return Int(truncatingIfNeeded: product >> 32) & mask
    }
  }
}

/// The base class of routes, which doesn't depend on the type of the states.
@usableFromInline class AnyRoute {
  /// The identifier of the states' type.
  @usableFromInline final let key: ObjectIdentifier

  init(key: ObjectIdentifier) { self.key = key }

  /// Unregisters every store of this route. The caller must hold the registry's lock.
  func cancelAll() {}

  /// Returns the live, registered stores of this route. The caller must hold the registry's lock.
  func allStores() -> [AnyObject] { [] }

  /// Returns the watchers of this route's stores. The caller must hold the registry's lock.
  func watchers() -> [StoreWatcher] { [] }
}

/// An object that notes when a store might have changed, for a library that saves the store.
///
/// Only the first change after `reset()` calls a closure, so that watching costs a dispatch almost nothing. Time
/// travel always calls the closure.
@usableFromInline package final class StoreWatcher: @unchecked Sendable {
  @usableFromInline package enum Change: Sendable {
    /// The store has reduced a state.
    case reduce

    /// A transaction, which might have changed the store, is ending.
    case transaction

    /// A time travel, which might change the store, is about to begin.
    case travel
  }

  // The dispatcher's turn guards the two properties below.

  /// Whether the store might have changed since the last `reset()`.
  @exclusivity(unchecked) @usableFromInline var hasChanged = false

  /// Whether the store has reduced a state since the last `reset()`. A reduce says more than a transaction, so it's noted
  /// even after one.
  @exclusivity(unchecked) @usableFromInline var hasReduced = false

  private let didNote: @Sendable (Change) -> Void

  /// Creates a watcher. The thread that calls the closure holds the dispatcher's turn.
  package init(didNote: @escaping @Sendable (Change) -> Void) { self.didNote = didNote }

  /// Notes a change. The caller must hold the dispatcher's turn.
  @inlinable func note(_ change: Change) {
    if change == .reduce ? !hasReduced : !hasChanged || change == .travel { noteFirst(change) }
  }

  @usableFromInline func noteFirst(_ change: Change) {
    hasChanged = true
    hasReduced = change == .reduce
    didNote(change)
  }

  /// Lets the next change call the closure again. The caller must hold the dispatcher's turn.
  package func reset() { (hasChanged, hasReduced) = (false, false) }
}
