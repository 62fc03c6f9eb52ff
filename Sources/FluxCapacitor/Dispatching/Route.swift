import Synchronization

/// The registered stores that reduce the states of one type, in the order of their registration.
///
/// Stores can be registered during a reduce. So a registration takes the registry's lock, but not the
/// dispatcher's turn. A reduce holds the turn, and follows a separate chain of registrations, which only the
/// turn guards. If the registrations have changed, the next reduce first links the chain again.
///
/// The route creates a channel for the first observer of the states. A reduce uses a separate reference to
/// the channel, which only the turn guards.
@usableFromInline final class Route<State: DispatchState>: AnyRoute {
  // The registry's lock guards `registrations`, `channel`, `isObserved` and `changes`.
  @exclusivity(unchecked) private(set) var registrations: [Registration<State>] = []
  @exclusivity(unchecked) private var channel: EventChannel<State>?

  /// Whether a reduce calls the registry's observer for each state.
  @exclusivity(unchecked) private var isObserved = false

  /// The number of changes to the registrations, the channel and `isObserved` so far.
  @exclusivity(unchecked) private var changes = 0

  /// The number of the route's last change, or zero if the states have no store and no observer.
  ///
  /// Releasing and acquiring are strong enough for `edition`. A thread that reads a new number takes the
  /// registry's lock before it reads the changes. A thread that still reads an old number behaves as if its
  /// dispatch had preceded the change.
  @usableFromInline let edition = ScheduledAtomic(0)

  @inlinable var currentEdition: Int { edition.read { $0.load(ordering: .acquiring) } }

  // A reduce uses only the linked chain and the linked channel, which the dispatcher's turn guards.
  @exclusivity(unchecked) @usableFromInline var first: Unmanaged<Registration<State>>?
  @exclusivity(unchecked) @usableFromInline var linkedChannel: EventChannel<State>?
  @exclusivity(unchecked) @usableFromInline var isLinkedToObserver = false
  @exclusivity(unchecked) @usableFromInline var linkedEdition = 0
  @exclusivity(unchecked) private(set) var linked: [Registration<State>] = []

  /// The state that the stores are reducing, which `reduceEarly(in:)` reads.
  @exclusivity(unchecked) @usableFromInline var state: UnsafePointer<State>?

  /// The registration that a reduce has reached in the chain, which `reduceEarly(in:)` reads.
  @exclusivity(unchecked) @usableFromInline var current: Unmanaged<Registration<State>>?

  /// The registrations with an unfinished early reduce, in the order in which the early reduces began.
  @exclusivity(unchecked) var awaited: [Registration<State>] = []

  /// The stores that have reduced the state early, because the current store called `waitFor(_:)`.
  @exclusivity(unchecked) @usableFromInline var early: [any Storable<State>] = []

  init() { super.init(key: ObjectIdentifier(State.self)) }

  /// Returns an address from which a thread can read a state.
  ///
  /// A state of size zero might have no valid address. A thread can read such a state from any aligned
  /// address.
  @inlinable static func address(of state: UnsafePointer<State>) -> UnsafePointer<State> {
    if MemoryLayout<State>.size > 0 { return state }
    return UnsafePointer(bitPattern: MemoryLayout<State>.alignment) ?? state
  }

  deinit { channel?.dropHandle() }

  /// Returns the live, registered stores. The caller must hold the registry's lock.
  func liveStores() -> [any Storable<State>] {
    registrations.compactMap { registration in
      let store = registration.store
      if store == nil { registration.cancel() }
      return store
    }
  }

  /// Adds a store, and removes cancelled registrations. The caller must hold the registry's lock.
  func register(_ store: any Storable<State>, _ watcher: StoreWatcher?) -> AnyRegistration {
    let registration = Registration(store, watcher)
    registrations.append(registration)
    removeCancelled()
    return registration
  }

  /// Removes the cancelled registrations. The caller must hold the registry's lock.
  func removeCancelled() {
    Registry.remove(registrations.filter { !$0.isRegistered })
    registrations.removeAll { !$0.isRegistered }
    publish()
  }

  /// Returns the channel of the states, and creates a missing channel.
  ///
  /// The caller must hold the registry's lock.
  func channelOfStates() -> EventChannel<State> {
    if let channel { return channel }
    let channel = EventChannel<State>()
    self.channel = channel
    publish()
    return channel
  }

  /// Increments the edition, so that the next reduce links the chain again.
  ///
  /// The caller must hold the registry's lock.
  private func publish() {
    changes += 1
    let isWanted = !registrations.isEmpty || channel != nil || isObserved
    edition.write { $0.store(isWanted ? changes : 0, ordering: .releasing) }
  }

  override func allStores() -> [AnyObject] { liveStores() }

  override func watchers() -> [StoreWatcher] { registrations.compactMap(\.watcher) }

  override func setObserved(_ isObserved: Bool) {
    self.isObserved = isObserved
    publish()
  }

  override func cancelAll() {
    // The loop cancels the last registration first, so that a concurrent reduce skips only stores at the end
    // of the chain.
    for registration in registrations.reversed() { registration.cancel() }
    removeCancelled()
  }

  /// Links the chain of registrations and the channel that reduces follow.
  ///
  /// The caller must hold the dispatcher's turn and the registry's lock. While the registry's observer is
  /// enabled, every reduce links the route again. Before each reduce, the observer receives the linked
  /// registrations.
  func link() {
    linked = registrations
    linkedChannel = channel
    isLinkedToObserver = isObserved
    linkedEdition = isObserved ? 0 : edition.read { $0.load(ordering: .relaxed) }
    first = nil
    for registration in linked.reversed() {
      registration.next = first
      first = .passUnretained(registration)
    }
  }
}

/// An entry for one store in a route, which holds the store weakly.
@usableFromInline
final class Registration<State: DispatchState>: AnyRegistration,
  @unchecked Sendable
{
  @usableFromInline weak let store: (any Storable<State>)?

  /// The next registration in the chain, guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var next: Unmanaged<Registration>?

  /// Values that the registry's observer caches for this store, guarded by the dispatcher's turn.
  @exclusivity(unchecked) var observerCache: Any?

  init(_ store: any Storable<State>, _ watcher: StoreWatcher?) {
    self.store = store
    super.init(of: store, watcher)
  }
}

/// The base class of registrations, which doesn't depend on the type of the states.
@usableFromInline class AnyRegistration: @unchecked Sendable {
  /// Two flags as bits: `cancelled` and `early`.
  ///
  /// Any thread can set `cancelled`, and no thread clears `cancelled`. Because of releasing and acquiring, a
  /// thread that reads the set bit also sees the earlier work of the thread that set the bit. Only the
  /// thread that holds the turn sets, clears and relies on `early`, so relaxed ordering is enough for
  /// `early`.
  @usableFromInline final let marks = ScheduledAtomic<UInt8>(0)

  static var cancelled: UInt8 { 1 }
  static var early: UInt8 { 2 }

  final let type: any Storable.Type

  /// The store's address, which another store can have after the store's deallocation.
  final let address: ObjectIdentifier

  final let watcher: StoreWatcher?

  /// The watcher as an unretained reference. `watcher` keeps it alive.
  @usableFromInline final let unretainedWatcher: Unmanaged<StoreWatcher>?

  init(of store: any Storable, _ watcher: StoreWatcher?) {
    type = Swift.type(of: store)
    address = ObjectIdentifier(store)
    self.watcher = watcher
    unretainedWatcher = watcher.map { .passUnretained($0) }
  }

  /// Whether the store is still registered, and has not reduced the current state early.
  @inlinable final var isOpen: Bool { marks.read { $0.load(ordering: .acquiring) } == 0 }

  final var isRegistered: Bool {
    marks.unscheduled.load(ordering: .acquiring) & AnyRegistration.cancelled == 0
  }

  /// Notes that the store has reduced a state. The caller must hold the dispatcher's turn.
  @inlinable final func noteReduce() { unretainedWatcher?.use { $0.noteChange(isReduce: true) } }

  final func cancel() {
    _ = marks.write { $0.bitwiseOr(AnyRegistration.cancelled, ordering: .releasing) }
  }
}
