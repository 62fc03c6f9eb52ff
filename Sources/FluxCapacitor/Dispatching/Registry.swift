import Synchronization

/// The stores of one dispatcher, weakly held, by the type of the states that reach them.
///
/// Its lock is held for a few instructions and never while code of the user's runs: the init of a
/// store runs outside it, and a store that a look-up has touched is released outside it.
@usableFromInline
final class Registry: @unchecked Sendable {
  @usableFromInline let lock = Lock()

  /// The dispatcher's: held by the thread that reduces.
  @usableFromInline let turn = Lock()

  @usableFromInline let routes = RouteTable()

  /// What is under way on behalf of the dispatcher.
  let activity = Activity()

  /// Whether there are witnesses; written under `lock`. A hint: who goes by it asks again under the lock, and
  /// a dispatch may miss a witness that comes just then. So relaxed is enough to read it.
  @usableFromInline let isWitnessed = Atomic(false)

  /// Counts the reduces that have begun of which a journal is kept: the number of each is that of its
  /// event. Written in the turn, under which relaxed is enough to read it; see `add(_:)` for who reads it
  /// elsewhere.
  private let reducesBegun = Atomic(0)

  /// Belongs to the thread that has the turn.
  @exclusivity(unchecked) private var journal: Journal?

  // Guarded by `lock`.
  @exclusivity(unchecked) private var witnesses: [Witness] = []
  @exclusivity(unchecked) private var creations: [Creation] = []
  @exclusivity(unchecked) private var awaited: [UInt32: Creation] = [:]

  @usableFromInline
  init() {}

  /// Links a route's registrations and its channel for reducing; the turn is held.
  @usableFromInline
  func link<State: DispatchState>(_ route: Route<State>) {
    guard lock.withLock({ route.link() }) == .ofChanges else { return }
    journal = Journal(of: route.variablesOfStores())
    lock.schedulePoint(.write)
    reducesBegun.add(1, ordering: .sequentiallyConsistent)
  }

  /// Where the dispatched states of a type can be observed.
  func channel<State: DispatchState>(of _: State.Type) -> EventChannel<State> {
    lock.withLock { routeForRegistering(State.self).channelOfStates() }
  }

  func hasStores<State: DispatchState>(for _: State.Type) -> Bool {
    // They are let go of outside the lock.
    let stores = lock.withLock {
      routes.route(for: State.self)?.takeUnretainedValue().liveStores() ?? []
    }
    return !stores.isEmpty
  }

  /// The stores that are alive and registered, in no certain order.
  var allStores: [any Storable] {
    lock.withLock { routes.routes.flatMap { $0.allStores() } }
  }

  /// Forgets the registrations whose stores are gone.
  @usableFromInline
  func removeDead<State: DispatchState>(of _: State.Type) {
    remove(of: State.self) { registration in registration.store == nil }
  }

  /// Unregisters one store; answers whether it was registered here.
  func unregister<S: Storable>(_ store: S) -> Bool {
    remove(of: S.DispatchStateType.self) { $0.store === store }
  }

  func unregisterAll() {
    lock.withLock {
      for route in routes.routes {
        lock.schedulePoint(.write)
        route.cancelAll()
      }
    }
  }

  @discardableResult
  private func remove<State: DispatchState>(
    of _: State.Type,
    where isUnwanted: (Registration<State>) -> Bool
  ) -> Bool {
    guard let route = routes.route(for: State.self)?.takeUnretainedValue() else { return false }
    // Outside the lock, for a store that is looked at is let go of afterwards.
    let unwanted = lock.withLock { route.registrations }.filter(isUnwanted)
    guard !unwanted.isEmpty else { return false }
    for registration in unwanted {
      lock.schedulePoint(.write)
      registration.cancel()
    }
    lock.withLock { route.removeCancelled() }
    return true
  }
}

// MARK: - Witnesses

extension Registry {
  /// Has a witness attend every dispatch from now on.
  ///
  /// It is in the list before it asks which reduces have begun, and a reduce says that it begins before
  /// its end looks into the list: so none is missed that begins later. Only the first witness may miss
  /// one that had already seen that there is none.
  func add(_ witness: Witness) {
    lock.withLock {
      witnesses.append(witness)
      updateWitnessing()
      lock.schedulePoint(.read)
      let begun = reducesBegun.load(ordering: .sequentiallyConsistent)
      witness.first.store(begun + 1, ordering: .relaxed)
    }
  }

  func remove(_ witness: Witness) {
    let removed = lock.withLock {
      defer {
        witnesses.removeAll { $0 === witness }
        updateWitnessing()
      }
      return witnesses
    }
    // What they hold goes when the lock is open again.
    withExtendedLifetime(removed) {}
  }

  /// The lock is held.
  private func updateWitnessing() {
    let witnessing = witnessing
    lock.schedulePoint(.write)
    isWitnessed.store(witnessing != .none, ordering: .releasing)
    for route in routes.routes { route.setWitnessing(witnessing) }
  }

  /// What the witnesses want; the lock is held.
  private var witnessing: Witnessing {
    witnesses.isEmpty ? .none : witnesses.contains { $0.isOfChanges } ? .ofChanges : .ofStates
  }

  /// Where the states of a type go that nobody has wanted by now, if all are witnessed.
  @inlinable
  func routeIfWitnessed<State: DispatchState>(
    for _: State.Type
  ) -> Unmanaged<Route<State>>? {
    lock.schedulePoint(.read)
    return isWitnessed.load(ordering: .relaxed) ? witnessedRoute(for: State.self) : nil
  }

  @usableFromInline
  func witnessedRoute<State: DispatchState>(for _: State.Type) -> Unmanaged<Route<State>> {
    lock.withLock { .passUnretained(routeForRegistering(State.self)) }
  }

  /// Tells the witnesses of a state that has been reduced; the turn is held.
  ///
  /// - Returns: What is to be let go of after the turn.
  @usableFromInline
  func testify(
    to state: any DispatchState,
    reaching stores: [any Storable.Type],
    from place: SourcePlace,
    on thread: CurrentThread
  ) -> AnyObject {
    let witnesses = lock.withLock { self.witnesses }
    // Without a journal, this one does not count: whoever asks for changes has come since it began.
    let journal = journal.take() ?? Journal(of: [])
    var event = journal.event(of: state, reaching: stores, from: place)
    event.sequenceNumber = reducesBegun.load(ordering: .relaxed)
    // Each interceptor puts its place before the others: so the first one's is the first.
    for witness in witnesses.reversed()
    where !witness.isOfChanges
      || witness.first.load(ordering: .relaxed) <= event.sequenceNumber
    {
      witness.attend(event)
    }
    beginTelling(of: state, on: thread)
    return journal
  }

  /// Notes that a state waits for the end of the reduce that it was invoked in, if that is of interest.
  ///
  /// - Returns: What is to be called when it has been reduced.
  @inlinable
  func beginDeferral(of type: any DispatchState.Type) -> (@Sendable () -> Void)? {
    isWitnessed.load(ordering: .relaxed) ? beginWitnessedDeferral(of: type) : nil
  }

  @usableFromInline
  func beginWitnessedDeferral(of type: any DispatchState.Type) -> @Sendable () -> Void {
    activity.begin { "A \(sourceName(of: type)) waits for the end of the reduce that invoked it." }
  }

  /// Notes that this thread has to tell what the state has changed.
  private func beginTelling(of state: any DispatchState, on thread: CurrentThread) {
    guard !thread.pointee.round.isEmpty,
      !thread.pointee.accounts.contains(where: { $0.of === activity })
    else { return }
    let end = activity.begin {
      "The observers of a \(sourceName(of: type(of: state))) are being told."
    }
    thread.pointee.accounts.append((of: activity, end: end))
  }
}

// MARK: - Instantiating

extension Registry {
  /// The one live store of a type, made if there is none.
  ///
  /// A registered store of a subclass stands in for its parent, unless the parent itself is there or
  /// being made.
  func instantiate<S: Storable>(_: S.Type) -> S {
    let thread = CurrentThread.current
    // The stores that were looked at are let go of at the end, when nothing is locked or being made:
    // the last reference may go here, and with it the store.
    var seen: [any Storable<S.DispatchStateType>] = []
    defer { withExtendedLifetime(seen) {} }
    while true {
      switch find(S.self, on: thread, seen: &seen) {
      case .found(let store): return store
      case .awaited(let creation): creation.isUnderWay.withLock {}
      case .begun(let creation): return create(creation, on: thread)
      }
    }
  }

  private enum Found<S> {
    case found(S)
    case awaited(Creation)
    case begun(Creation)
  }

  /// Finds the store of a type, or who is making it, or else begins to make it.
  private func find<S: Storable>(
    _: S.Type,
    on thread: CurrentThread,
    seen: inout [any Storable<S.DispatchStateType>]
  ) -> Found<S> {
    lock.lock()
    defer { lock.unlock() }
    let live = routeForRegistering(S.DispatchStateType.self).liveStores()
    seen += live
    if let store = live.first(where: { type(of: $0) == S.self }) as? S { return .found(store) }
    if let creation = creations.first(where: { $0.type == S.self }) {
      if let cycle = cycle(from: creation, on: thread.id) { trapInCycle(of: cycle) }
      awaited[thread.id] = creation
      return .awaited(creation)
    }
    if let store = live.lazy.compactMap({ $0 as? S }).first { return .found(store) }
    let creation = Creation(of: S.self, on: thread.id)
    creations.append(creation)
    return .begun(creation)
  }

  private func create<S: Storable>(_ creation: Creation, on thread: CurrentThread) -> S {
    // What the init invokes waits until the store is there to be reached, and no turn is waited for
    // while other threads wait for this very store.
    thread.pointee.dispatchDeferrals += 1
    thread.pointee.openCreations += 1
    let store = S()
    thread.pointee.openCreations -= 1
    thread.pointee.dispatchDeferrals -= 1

    lock.withLock {
      lock.schedulePoint(.write)
      routeForRegistering(S.DispatchStateType.self).register(store)
      creations.removeAll { $0 === creation }
      awaited = awaited.filter { $0.value !== creation }
    }
    creation.isUnderWay.unlock()
    thread.finish()
    return store
  }

  /// The types that wait for each other if this thread waited for a creation; the lock is held.
  private func cycle(from wanted: Creation, on thread: UInt32) -> [any Any.Type]? {
    var path: [any Any.Type] = []
    var next: Creation? = wanted
    while let creation = next {
      let own = creations.filter { $0.thread == creation.thread }
      path += own.drop { $0 !== creation }.map(\.type)
      if creation.thread == thread { return path + [wanted.type] }
      next = awaited[creation.thread]
    }
    return nil
  }

  private func trapInCycle(of types: [any Any.Type]) -> Never {
    trap(
      """
      The inits of these stores instantiate each other: \
      \(types.map(sourceName(of:)).joined(separator: " → ")). Let one of them instantiate the other \
      after its init, or pass on what it needs.
      """
    )
  }

  /// The route for a type of states, made if there is none; the lock is held.
  private func routeForRegistering<State: DispatchState>(_: State.Type) -> Route<State> {
    if let route = routes.route(for: State.self) { return route.takeUnretainedValue() }
    let route = Route<State>()
    if !witnesses.isEmpty { route.setWitnessing(witnessing) }
    lock.schedulePoint(.write)
    routes.insert(route)
    return route
  }
}

/// A store that a thread is making; others who want it wait until nothing is under way.
private final class Creation: Sendable {
  let type: any Any.Type
  let thread: UInt32
  /// Held by the thread that makes the store.
  let isUnderWay = Lock()

  init(of type: any Any.Type, on thread: UInt32) {
    self.type = type
    self.thread = thread
    isUnderWay.lock()
  }
}
