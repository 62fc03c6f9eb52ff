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
  ///
  /// Releasing and acquiring are enough: who sees a number takes the registry's lock for what it stands for,
  /// and who does not see it yet is as early as if nothing had changed.
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

  /// The stores that have reduced the state early, in the course of which other's reduce; to be let go
  /// of after the turn.
  @exclusivity(unchecked) var early: [(store: any Storable<State>, during: ObjectIdentifier?)] = []

  /// The stores that were looked at for witnesses, to be let go of after the turn.
  @exclusivity(unchecked) private var watched: [AnyObject] = []

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

  /// The variables of the linked stores; the dispatcher's turn is held.
  func variablesOfStores() -> [JournalVariable] {
    linked.flatMap { registration in
      if let variables = registration.knownVariables { return variables }
      guard let store = registration.store else { return [] }
      // The last reference may go here, and with it the store.
      watched.append(store)
      return registration.variables(of: store)
    }
  }

  /// Hands over the stores that were looked at for witnesses, to be let go of after the turn.
  @usableFromInline
  func takeWatched() -> [AnyObject] {
    defer { watched = [] }
    return watched
  }
}

/// One store's place in a route. It does not keep the store.
@usableFromInline
final class Registration<State: DispatchState>: @unchecked Sendable {
  @usableFromInline weak let store: (any Storable<State>)?

  /// That it is cancelled, which any thread may say and none takes back: releasing and acquiring, so that who
  /// sees it sees what was done before. And that it is early, which only who has the turn says and asks:
  /// relaxed.
  @usableFromInline let marks = Atomic<UInt8>(0)

  static var cancelled: UInt8 { 1 }
  static var early: UInt8 { 2 }

  /// The next one in the chain that a reduce goes along; guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var next: Unmanaged<Registration>?

  /// The type of the store.
  let type: any Storable.Type

  /// The variables of the store, if they were asked for and can't become others. They are not kept for
  /// it. Guarded by the dispatcher's turn.
  @exclusivity(unchecked) private var known: [(name: String, value: WeakValue)]?

  init(_ store: any Storable<State>) {
    self.store = store
    type = Swift.type(of: store)
  }

  /// The variables of the store, if they are known; nil if the store has to be looked at.
  var knownVariables: [JournalVariable]? {
    guard let known else { return nil }
    let variables = known.compactMap { name, variable in
      variable.value.map { JournalVariable(store: type, name: name, value: $0) }
    }
    return variables.count == known.count ? variables : nil
  }

  func variables(of store: any Storable<State>) -> [JournalVariable] {
    let contents = StoreContents(of: store)
    let variables = contents.variables
    known = contents.isFixed ? variables.map { ($0.name, WeakValue(value: $0.value)) } : nil
    return variables.map { JournalVariable(store: type, name: $0.name, value: $0.value) }
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

private struct WeakValue {
  weak let value: (any AnyPrimitiveValue)?
}
