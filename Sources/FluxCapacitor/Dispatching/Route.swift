import Synchronization

/// The registered stores that reduce the states of one type, and the channel of the states' observers.
///
/// Stores can be registered during a reduce. So a registration takes the registry's lock, but not the
/// dispatcher's turn, and makes new `Receivers`. A reduce holds the turn. The reduce first takes over the latest
/// receivers, and uses them until its end.
@usableFromInline final class Route<State: DispatchState>: AnyRoute {
  /// An immutable list of registrations, in the order of registration, with the channel of the states' observers.
  @usableFromInline final class Receivers {
    let registrations: [Registration<State>]

    /// The registrations without counted references, because a loop over `registrations` counts each reference.
    @usableFromInline let references: UnsafeMutableBufferPointer<Unmanaged<Registration<State>>>

    @usableFromInline let channel: EventChannel<State>?

    init(_ registrations: [Registration<State>] = [], _ channel: EventChannel<State>? = nil) {
      self.registrations = registrations
      self.channel = channel
      references = .allocate(capacity: registrations.count)
      _ = references.initialize(from: registrations.lazy.map { .passUnretained($0) })
    }

    deinit { references.deallocate() }
  }

  /// The receivers of later reduces, guarded by the registry's lock.
  private var latest: Receivers

  /// A reference to `latest`, or nil if the states have no store and no channel.
  ///
  /// Releasing and acquiring are strong enough. A thread that finds new receivers takes the registry's lock before
  /// it reads them. A thread that still finds old receivers behaves as if its dispatch had preceded the change.
  @usableFromInline let published = ScheduledAtomic<Unmanaged<Receivers>?>(nil)

  // The dispatcher's turn guards the properties below.

  /// The receivers of the latest reduce.
  @exclusivity(unchecked) @usableFromInline private(set) var receivers: Receivers

  /// The state that the stores are reducing.
  @exclusivity(unchecked) @usableFromInline var state: UnsafePointer<State>?

  /// The registration that the reduce has reached.
  @exclusivity(unchecked) @usableFromInline var current: Unmanaged<Registration<State>>?

  /// The registrations with an unfinished early reduce, in the order in which the early reduces began.
  var awaited: [Registration<State>] = []

  /// The stores that have reduced the state early, because the current store called `waitFor(_:)`.
  @exclusivity(unchecked) @usableFromInline var early: [any Storable<State>] = []

  init() {
    latest = Receivers()
    receivers = latest
    super.init(key: ObjectIdentifier(State.self))
  }

  deinit { latest.channel?.dropHandle() }

  /// The receivers of a reduce that begins now, or nil if the states have no store and no channel.
  @inlinable var currentReceivers: Unmanaged<Receivers>? {
    published.read { $0.load(ordering: .acquiring) }
  }

  /// Takes over the latest receivers. The caller must hold the turn and the registry's lock.
  func takeOverReceivers() { receivers = latest }

  // The caller of the methods below must hold the registry's lock.

  /// Returns the live, registered stores.
  func liveStores() -> [any Storable<State>] {
    latest.registrations.compactMap { registration in
      let store = registration.store
      if store == nil { registration.cancel() }
      return store
    }
  }

  /// Adds a store, and removes cancelled registrations.
  func register(_ store: any Storable<State>, _ watcher: StoreWatcher?) -> AnyRegistration {
    let registration = Registration(store, watcher)
    publish(latest.registrations + [registration], latest.channel)
    return registration
  }

  /// Removes the cancelled registrations.
  func removeCancelled() { publish(latest.registrations, latest.channel) }

  /// Returns the channel of the states, and creates a missing channel.
  func channelOfStates() -> EventChannel<State> {
    if let channel = latest.channel { return channel }
    let channel = EventChannel<State>()
    publish(latest.registrations, channel)
    return channel
  }

  /// Publishes new receivers without the cancelled registrations.
  private func publish(_ registrations: [Registration<State>], _ channel: EventChannel<State>?) {
    Registry.remove(registrations.filter(\.isCancelled))
    latest = Receivers(registrations.filter { !$0.isCancelled }, channel)
    let isEmpty = latest.registrations.isEmpty && channel == nil
    published.write { $0.store(isEmpty ? nil : .passUnretained(latest), ordering: .releasing) }
  }

  override func allStores() -> [AnyObject] { liveStores() }

  override func watchers() -> [StoreWatcher] { latest.registrations.compactMap(\.watcher) }

  override func cancelAll() {
    // The loop cancels the last registration first, so that a concurrent reduce skips only stores at the end
    // of the list.
    for registration in latest.registrations.reversed() { registration.cancel() }
    removeCancelled()
  }
}

/// An entry for one store in a route, which holds the store weakly.
@usableFromInline
final class Registration<State: DispatchState>: AnyRegistration,
  @unchecked Sendable
{
  @usableFromInline weak let store: (any Storable<State>)?

  init(_ store: any Storable<State>, _ watcher: StoreWatcher?) {
    self.store = store
    super.init(of: store, watcher)
  }
}

/// The base class of registrations, which doesn't depend on the type of the states.
@usableFromInline class AnyRegistration: @unchecked Sendable {
  /// Whether the store is no longer registered. Any thread can set this flag, and no thread clears it.
  ///
  /// Because of releasing and acquiring, a thread that reads the set flag also sees the earlier work of the
  /// thread that set the flag.
  @usableFromInline final let cancellation = ScheduledAtomic(false)

  /// Whether the store has reduced the current state early, guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline final var hasReducedEarly = false

  final let type: any Storable.Type

  /// The store's address, which another store can have after the store's deallocation.
  final let address: ObjectIdentifier

  /// Notes, for a library that saves the store, that the store has reduced a state.
  @usableFromInline final let watcher: StoreWatcher?

  /// Values that the registry's observer caches for this store, guarded by the dispatcher's turn.
  final var observerCache: Any?

  init(of store: any Storable, _ watcher: StoreWatcher?) {
    type = Swift.type(of: store)
    address = ObjectIdentifier(store)
    self.watcher = watcher
  }

  /// Whether the store is still registered, and has not reduced the current state early.
  ///
  /// The caller must hold the dispatcher's turn.
  @inlinable final var isToReduce: Bool {
    !cancellation.read { $0.load(ordering: .acquiring) } && !hasReducedEarly
  }

  final var isCancelled: Bool { cancellation.unscheduled.load(ordering: .acquiring) }

  final func cancel() { cancellation.write { $0.store(true, ordering: .releasing) } }
}

// MARK: - The table of routes

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
