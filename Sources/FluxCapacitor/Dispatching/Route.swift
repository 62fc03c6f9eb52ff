import Synchronization

/// The registered stores that the states of one type reach, in the order of their registration.
///
/// Registering takes the registry's lock and not the turn, because it may happen inside a reduce.
/// Reducing takes the turn, and follows a chain that only the turn guards; the chain is linked
/// again if the registrations have changed since. The same holds for the channel of the states
/// themselves, which is created for their first observer.
@usableFromInline final class Route<State: DispatchState>: AnyRoute {
  // Guarded by the registry's lock.
  @exclusivity(unchecked) private(set) var registrations: [Registration<State>] = []
  @exclusivity(unchecked) private var channel: EventChannel<State>?

  /// Whether the registry's observer is called for each state.
  @exclusivity(unchecked) private var isObserved = false

  /// Counts the changes to the registrations, the channel and `isObserved`.
  @exclusivity(unchecked) private var changes = 0

  /// The number of the last change or, if nothing wants the states, zero.
  ///
  /// Releasing and acquiring are enough: a thread that sees a number takes the registry's lock to
  /// read what has changed, and one that doesn't see it yet acts as if it had come before the
  /// change.
  @usableFromInline let edition = ScheduledAtomic(0)

  @inlinable var currentEdition: Int { edition.read { $0.load(ordering: .acquiring) } }

  // What a reduce follows; guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var first: Unmanaged<Registration<State>>?
  @exclusivity(unchecked) @usableFromInline var linkedChannel: EventChannel<State>?
  @exclusivity(unchecked) @usableFromInline var isLinkedToObserver = false
  @exclusivity(unchecked) @usableFromInline var linkedEdition = 0
  @exclusivity(unchecked) private(set) var linked: [Registration<State>] = []

  /// While a thread is reducing along this route, the state, and the registration whose turn it is
  /// in the chain; see `reduceEarly(in:)`.
  @exclusivity(unchecked) @usableFromInline var state: UnsafePointer<State>?
  @exclusivity(unchecked) @usableFromInline var current: Unmanaged<Registration<State>>?

  /// The registrations whose early reduces have not ended, in the order in which they began.
  @exclusivity(unchecked) var awaited: [Registration<State>] = []

  /// The stores that have reduced the state early, during the reduce of the current one.
  @exclusivity(unchecked) @usableFromInline var early: [any Storable<State>] = []

  init() { super.init(key: ObjectIdentifier(State.self)) }

  /// The address of a state. One of size zero may have no valid address, and can be read from any.
  @inlinable static func address(of state: UnsafePointer<State>) -> UnsafePointer<State> {
    if MemoryLayout<State>.size > 0 { return state }
    return UnsafePointer(bitPattern: MemoryLayout<State>.alignment) ?? state
  }

  deinit { channel?.dropHandle() }

  /// The stores that are alive and registered. The registry's lock must be held.
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

  /// Removes the registrations that were cancelled. The registry's lock must be held.
  func removeCancelled() {
    registrations.removeAll { !$0.isRegistered }
    publish()
  }

  /// The channel of the states, created if there is none. The registry's lock must be held.
  func channelOfStates() -> EventChannel<State> {
    if let channel { return channel }
    let channel = EventChannel<State>()
    self.channel = channel
    publish()
    return channel
  }

  /// Makes the next reduce link again. The registry's lock must be held.
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
    // The last one first: a reduce in progress that reaches a store has reached those before it.
    for registration in registrations.reversed() { registration.cancel() }
    removeCancelled()
  }

  /// Links what a reduce follows. The turn and the registry's lock must be held.
  ///
  /// While it is observed, the route is linked again for each state, because the observer is called
  /// with the registrations before each reduce.
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

  /// `cancelled`, which any thread may set and none clears: releasing and acquiring, so that a
  /// thread that sees it sees what was done before. And `early`, which only the thread that has the
  /// turn sets, clears and depends on: relaxed.
  @usableFromInline let marks = ScheduledAtomic<UInt8>(0)

  static var cancelled: UInt8 { 1 }
  static var early: UInt8 { 2 }

  /// The next one in the chain that a reduce follows; guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var next: Unmanaged<Registration>?

  let type: any Storable.Type

  /// What the registry's observer has cached about the store; guarded by the dispatcher's turn.
  @exclusivity(unchecked) var observerCache: Any?

  init(_ store: any Storable<State>) {
    self.store = store
    type = Swift.type(of: store)
  }

  /// Whether a reduce that gets here calls the store: it is registered, and has not reduced the
  /// state early.
  @inlinable var isOpen: Bool { marks.read { $0.load(ordering: .acquiring) } == 0 }

  var isRegistered: Bool {
    marks.unscheduled.load(ordering: .acquiring) & Registration.cancelled == 0
  }

  func cancel() { _ = marks.write { $0.bitwiseOr(Registration.cancelled, ordering: .releasing) } }
}
