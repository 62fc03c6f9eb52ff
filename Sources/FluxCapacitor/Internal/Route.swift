import Synchronization

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

  /// The stores that are alive and registered, of whatever type; the registry's lock is held.
  func allStores() -> [any Storable] {
    trap("\(Self.self) leads nowhere.")
  }

  /// Has each state come here, to be witnessed, or only those that somebody wants; the registry's lock
  /// is held.
  func setWitnessing(_ witnessing: Witnessing) {
    trap("\(Self.self) leads nowhere.")
  }
}

/// What the witnesses of a dispatcher want to know.
@usableFromInline
enum Witnessing {
  case none, ofStates, ofChanges
}

/// The registered stores that the states of one type reach, in the order of their registration.
///
/// Registering takes the registry's lock and not the turn, for it may happen in the midst of a
/// reduce. Reducing takes the turn, and goes along a chain that nothing but the turn guards; it is
/// linked anew when the registrations have changed since. The same holds for the channel that tells
/// the states themselves to those who observe them, the first of whom brings it about.
@usableFromInline
final class Route<State: DispatchState>: AnyRoute {
  // Guarded by the registry's lock.
  @exclusivity(unchecked) private(set) var registrations: [Registration<State>] = []
  @exclusivity(unchecked) private var channel: EventChannel<State>?

  @exclusivity(unchecked) private var witnessing = Witnessing.none

  /// Counts the changes of these; written under the registry's lock.
  @exclusivity(unchecked) private var changes = 0

  /// The number of the last change or, without anybody who wants the states, zero.
  @usableFromInline let edition = Atomic(0)

  // What a reduce goes along; guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var first: Unmanaged<Registration<State>>?
  @exclusivity(unchecked) @usableFromInline var linkedChannel: EventChannel<State>?
  @exclusivity(unchecked) @usableFromInline var isLinkedToWitnesses = false

  /// Whether it is linked to anybody besides the stores.
  @exclusivity(unchecked) @usableFromInline var isAttended = false
  @exclusivity(unchecked) @usableFromInline var linkedEdition = 0
  @exclusivity(unchecked) private var linked: [Registration<State>] = []

  /// The state, and whose turn it is, while a thread is reducing along this route; see `reduceEarly(in:for:)`.
  @exclusivity(unchecked) @usableFromInline var state: UnsafePointer<State>?
  @exclusivity(unchecked) @usableFromInline var current: Unmanaged<Registration<State>>?

  /// The registrations that were waited for and have not reduced the state to its end, in order.
  @exclusivity(unchecked) var awaited: [Registration<State>] = []

  // To be let go of after the turn: the stores that have reduced the state early, and those that were
  // looked at for witnesses.
  @exclusivity(unchecked) var early: [any Storable<State>] = []
  @exclusivity(unchecked) private var watched: [any Storable<State>] = []

  init() {
    super.init(key: ObjectIdentifier(State.self))
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
    let isWanted = !registrations.isEmpty || channel != nil || witnessing != .none
    edition.store(isWanted ? changes : 0, ordering: .releasing)
  }

  override func allStores() -> [any Storable] { liveStores() }

  override func setWitnessing(_ witnessing: Witnessing) {
    self.witnessing = witnessing
    publish()
  }

  override func cancelAll() {
    for registration in registrations { registration.cancel() }
    removeCancelled()
  }

  /// Links the registrations and the channel for reducing; the turn and the registry's lock are held.
  ///
  /// - Returns: What the witnesses want. If that is the changes, each state is linked for anew.
  func link() -> Witnessing {
    linked = registrations
    linkedChannel = channel
    isLinkedToWitnesses = witnessing != .none
    isAttended = channel != nil || isLinkedToWitnesses
    linkedEdition = witnessing == .ofChanges ? 0 : edition.load(ordering: .relaxed)
    first = nil
    for registration in linked.reversed() {
      registration.next = first
      first = .passUnretained(registration)
    }
    return witnessing
  }

  /// The linked stores and what is in them; the dispatcher's turn is held.
  func contentsOfStores() -> [(type: any Storable.Type, contents: StoreContents)] {
    linked.compactMap { registration in
      guard let store = registration.store else { return nil }
      // The last reference may go here, and with it the store.
      watched.append(store)
      return (type(of: store), registration.contents(of: store))
    }
  }

  /// Hands over the stores that were looked at for witnesses, to be let go of after the turn.
  @usableFromInline
  func takeWatched() -> [any Storable<State>] {
    defer { watched = [] }
    return watched
  }
}

/// One store's place in a route. It does not keep the store.
@usableFromInline
final class Registration<State: DispatchState>: @unchecked Sendable {
  @usableFromInline weak let store: (any Storable<State>)?
  @usableFromInline let marks = Atomic<UInt8>(0)

  static var cancelled: UInt8 { 1 }
  static var early: UInt8 { 2 }

  /// The next one in the chain that a reduce goes along; guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var next: Unmanaged<Registration>?

  /// The type of the store, for whoever waits for it.
  let type: any Any.Type

  /// The variables and constants of the store, if they were asked for; guarded by the dispatcher's turn.
  @exclusivity(unchecked) private var contents: StoreContents?

  init(_ store: any Storable<State>) {
    self.store = store
    type = Swift.type(of: store)
  }

  func contents(of store: any Storable<State>) -> StoreContents {
    let contents = contents ?? StoreContents(of: store)
    self.contents = contents
    return contents
  }

  /// Whether a reduce that comes to this place goes on to the store: it is registered, and was not
  /// waited for.
  @inlinable
  var isOpen: Bool { marks.load(ordering: .acquiring) == 0 }

  var isRegistered: Bool { marks.load(ordering: .acquiring) & Registration.cancelled == 0 }

  /// Whether the store was waited for, and so reduces the state before its place in the chain; guarded
  /// by the dispatcher's turn.
  var isEarly: Bool {
    get { marks.load(ordering: .relaxed) & Registration.early != 0 }
    set {
      if newValue {
        marks.bitwiseOr(Registration.early, ordering: .relaxed)
      } else {
        marks.bitwiseAnd(~Registration.early, ordering: .relaxed)
      }
    }
  }

  func cancel() {
    marks.bitwiseOr(Registration.cancelled, ordering: .releasing)
  }
}
