import Synchronization

/// The registered stores that the states of one type reach, in the order of their registration.
///
/// Registering a store takes the registry's lock and not the turn, because it may happen inside a reduce. A
/// reduce takes the turn, and follows a chain of registrations that only the turn guards. If the
/// registrations have changed, the reduce first links the chain again.
///
/// The channel of the states is linked in the same way. It is created for their first observer.
@usableFromInline final class Route<State: DispatchState>: AnyRoute {
  // Guarded by the registry's lock.
  @exclusivity(unchecked) private(set) var registrations: [Registration<State>] = []
  @exclusivity(unchecked) private var channel: EventChannel<State>?

  /// Whether the registry's observer is called for each state.
  @exclusivity(unchecked) private var isObserved = false

  /// The number of changes to the registrations, the channel and `isObserved` so far.
  @exclusivity(unchecked) private var changes = 0

  /// The number of the last change, or zero if the states have no store and no observer.
  ///
  /// Releasing and acquiring are enough. A thread that sees a new number takes the registry's lock to read
  /// the changes. A thread that doesn't see the number yet acts as if it had come before the change.
  @usableFromInline let edition = ScheduledAtomic(0)

  @inlinable var currentEdition: Int { edition.read { $0.load(ordering: .acquiring) } }

  // The chain and the channel that a reduce follows. Guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var first: Unmanaged<Registration<State>>?
  @exclusivity(unchecked) @usableFromInline var linkedChannel: EventChannel<State>?
  @exclusivity(unchecked) @usableFromInline var isLinkedToObserver = false
  @exclusivity(unchecked) @usableFromInline var linkedEdition = 0
  @exclusivity(unchecked) private(set) var linked: [Registration<State>] = []

  /// The state and the current registration in the chain, while a thread is reducing along this route.
  ///
  /// `reduceEarly(in:)` reads them.
  @exclusivity(unchecked) @usableFromInline var state: UnsafePointer<State>?
  @exclusivity(unchecked) @usableFromInline var current: Unmanaged<Registration<State>>?

  /// The registrations whose early reduces have not ended, in the order in which these reduces began.
  @exclusivity(unchecked) var awaited: [Registration<State>] = []

  /// The stores that have reduced the state early, during the current store's reduce.
  @exclusivity(unchecked) @usableFromInline var early: [any Storable<State>] = []

  init() { super.init(key: ObjectIdentifier(State.self)) }

  /// Returns an address from which a state can be read.
  ///
  /// A state of size zero may have no valid address, but can be read from any aligned one.
  @inlinable static func address(of state: UnsafePointer<State>) -> UnsafePointer<State> {
    if MemoryLayout<State>.size > 0 { return state }
    return UnsafePointer(bitPattern: MemoryLayout<State>.alignment) ?? state
  }

  deinit { channel?.dropHandle() }

  /// Returns the stores that are alive and registered. The registry's lock must be held.
  func liveStores() -> [any Storable<State>] {
    registrations.compactMap { registration in
      let store = registration.store
      if store == nil { registration.cancel() }
      return store
    }
  }

  /// Adds a store, and removes cancelled registrations. The registry's lock must be held.
  func register(_ store: any Storable<State>) {
    registrations.append(Registration(store))
    removeCancelled()
  }

  /// Removes the cancelled registrations. The registry's lock must be held.
  func removeCancelled() {
    registrations.removeAll { !$0.isRegistered }
    publish()
  }

  /// Returns the channel of the states, and creates it if there is none. The registry's lock must be held.
  func channelOfStates() -> EventChannel<State> {
    if let channel { return channel }
    let channel = EventChannel<State>()
    self.channel = channel
    publish()
    return channel
  }

  /// Publishes a new edition, so that the next reduce links again. The registry's lock must be held.
  private func publish() {
    changes += 1
    let isWanted = !registrations.isEmpty || channel != nil || isObserved
    edition.write { $0.store(isWanted ? changes : 0, ordering: .releasing) }
  }

  override func allStores() -> [AnyObject] { liveStores() }

  override func setObserved(_ isObserved: Bool) {
    self.isObserved = isObserved
    publish()
  }

  override func cancelAll() {
    // The last registration comes first. So if a reduce in progress still reaches one of the stores, it has
    // reached all stores before it.
    for registration in registrations.reversed() { registration.cancel() }
    removeCancelled()
  }

  /// Links the chain and the channel that a reduce follows. The turn and the registry's lock must be held.
  ///
  /// While the registry's observer wants all states, each state links the route again, because the observer
  /// is called with the registrations before each reduce.
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

/// One store's place in a route. It holds the store weakly.
@usableFromInline final class Registration<State: DispatchState>: @unchecked Sendable {
  @usableFromInline weak let store: (any Storable<State>)?

  /// Two bits, `cancelled` and `early`.
  ///
  /// Any thread may set `cancelled`, and no thread clears it. Releasing and acquiring ensure that a thread
  /// that sees this bit also sees the earlier work of the thread that set it. Only the thread that has the
  /// turn sets, clears and depends on `early`, so relaxed is enough.
  @usableFromInline let marks = ScheduledAtomic<UInt8>(0)

  static var cancelled: UInt8 { 1 }
  static var early: UInt8 { 2 }

  /// The next registration in the chain. Guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var next: Unmanaged<Registration>?

  let type: any Storable.Type

  /// The cache of the registry's observer for this store. Guarded by the dispatcher's turn.
  @exclusivity(unchecked) var observerCache: Any?

  init(_ store: any Storable<State>) {
    self.store = store
    type = Swift.type(of: store)
  }

  /// Whether a reduce that reaches this registration calls the store.
  ///
  /// It does if the store is registered and hasn't reduced the state early.
  @inlinable var isOpen: Bool { marks.read { $0.load(ordering: .acquiring) } == 0 }

  var isRegistered: Bool {
    marks.unscheduled.load(ordering: .acquiring) & Registration.cancelled == 0
  }

  func cancel() { _ = marks.write { $0.bitwiseOr(Registration.cancelled, ordering: .releasing) } }
}
