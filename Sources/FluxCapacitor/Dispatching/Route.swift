import Synchronization

/// The registered stores that the states of one type reach, in the order of their registration.
///
/// Registering takes the registry's lock and not the turn, for it may happen in the midst of a
/// reduce. Reducing takes the turn, and goes along a chain that nothing but the turn guards; it is
/// linked anew when the registrations have changed since. The same holds for the channel of the states
/// themselves, which is made for the first that observes them.
@usableFromInline
final class Route<State: DispatchState>: AnyRoute {
  // Guarded by the registry's lock.
  @exclusivity(unchecked) private(set) var registrations: [Registration<State>] = []
  @exclusivity(unchecked) private var channel: EventChannel<State>?

  /// Whether the registry's observer is called for each state.
  @exclusivity(unchecked) private var isObserved = false

  /// Counts the changes of these.
  @exclusivity(unchecked) private var changes = 0

  /// The number of the last change or, if nothing wants the states, zero.
  ///
  /// Releasing and acquiring are enough: a thread that sees a number takes the registry's lock for what it
  /// stands for, and one that does not see it yet is as early as if nothing had changed.
  @usableFromInline let edition = Atomic(0)

  // What a reduce goes along; guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var first: Unmanaged<Registration<State>>?
  @exclusivity(unchecked) @usableFromInline var linkedChannel: EventChannel<State>?
  @exclusivity(unchecked) @usableFromInline var isLinkedToObserver = false
  @exclusivity(unchecked) @usableFromInline var linkedEdition = 0
  @exclusivity(unchecked) private(set) var linked: [Registration<State>] = []

  /// The state, and the registration whose store reduces it, while a thread is reducing along this route;
  /// see `reduceEarly(in:)`.
  @exclusivity(unchecked) @usableFromInline var state: UnsafePointer<State>?
  @exclusivity(unchecked) @usableFromInline var current: Unmanaged<Registration<State>>?

  /// The registrations that were waited for and have not reduced the state to its end, in order.
  @exclusivity(unchecked) var awaited: [Registration<State>] = []

  /// The stores that have reduced the state early, each with the store in whose place in the chain it did;
  /// to be released after the turn.
  @exclusivity(unchecked) var early: [(store: any Storable<State>, during: ObjectIdentifier?)] = []

  init() {
    super.init(key: ObjectIdentifier(State.self))
  }

  /// The address of a state. One that takes no memory may be nowhere; it can be read from any place.
  @inlinable
  static func address(of state: UnsafePointer<State>) -> UnsafePointer<State> {
    if MemoryLayout<State>.size > 0 { return state }
    return UnsafePointer(bitPattern: MemoryLayout<State>.alignment) ?? state
  }

  deinit {
    channel?.dropHandle()
  }

  /// The stores that are alive and registered; the registry's lock is held.
  func liveStores() -> [any Storable<State>] {
    registrations.compactMap { registration in
      guard registration.isRegistered else { return nil }
      let store = registration.store
      if store == nil { registration.cancel() }
      return store
    }
  }

  /// Adds a store as the last one, in place of those that are gone; the registry's lock is held.
  func register(_ store: any Storable<State>) {
    registrations.append(Registration(store))
    removeCancelled()
  }

  /// Forgets the registrations that were cancelled; the registry's lock is held.
  func removeCancelled() {
    registrations.removeAll { !$0.isRegistered }
    publish()
  }

  /// The channel of the states, made if there is none; the registry's lock is held.
  func channelOfStates() -> EventChannel<State> {
    if let channel { return channel }
    let channel = EventChannel<State>()
    self.channel = channel
    publish()
    return channel
  }

  /// Lets the next reduce link anew; the registry's lock is held.
  private func publish() {
    changes += 1
    let isWanted = !registrations.isEmpty || channel != nil || isObserved
    edition.store(isWanted ? changes : 0, ordering: .releasing)
  }

  override func allStores() -> [AnyObject] { liveStores() }

  override func setObserved(_ isObserved: Bool) {
    self.isObserved = isObserved
    publish()
  }

  override func cancelAll() {
    for registration in registrations { registration.cancel() }
    removeCancelled()
  }

  /// Links the registrations and the channel for reducing; the turn and the registry's lock are held.
  ///
  /// For the observer, which is called before each reduce, each state is linked for anew.
  func link() {
    linked = registrations
    linkedChannel = channel
    isLinkedToObserver = isObserved
    linkedEdition = isObserved ? 0 : edition.load(ordering: .relaxed)
    first = nil
    for registration in linked.reversed() {
      registration.next = first
      first = .passUnretained(registration)
    }
  }
}

/// One store's place in a route. It does not keep the store.
@usableFromInline
final class Registration<State: DispatchState>: @unchecked Sendable {
  @usableFromInline weak let store: (any Storable<State>)?

  /// That it is cancelled, which any thread may set and none takes back: releasing and acquiring, so that a
  /// thread that sees it sees what was done before. And that it is early, which only the thread that has the
  /// turn sets and reads: relaxed.
  @usableFromInline let marks = Atomic<UInt8>(0)

  static var cancelled: UInt8 { 1 }
  static var early: UInt8 { 2 }

  /// The next one in the chain that a reduce goes along; guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var next: Unmanaged<Registration>?

  /// The type of the store.
  let type: any Storable.Type

  /// What the registry's observer has found out about the store; guarded by the dispatcher's turn.
  @exclusivity(unchecked) var observerCache: Any?

  init(_ store: any Storable<State>) {
    self.store = store
    type = Swift.type(of: store)
  }

  /// Whether a reduce that comes to this place goes on to the store: it is registered, and was not
  /// waited for.
  @inlinable
  var isOpen: Bool { marks.load(ordering: .acquiring) == 0 }

  var isRegistered: Bool { marks.load(ordering: .acquiring) & Registration.cancelled == 0 }

  func cancel() {
    marks.bitwiseOr(Registration.cancelled, ordering: .releasing)
  }
}
