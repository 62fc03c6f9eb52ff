extension Dispatcher {
  /// Whether a dispatch has to wait for the end of what this thread has open. If not, those that were deferred
  /// before have been run.
  @inlinable func mustDefer(on thread: CurrentThread) -> Bool {
    if thread.pointee.dispatchDeferrals > 0 { return true }
    if !thread.pointee.deferredDispatches.isEmpty { thread.runDeferredDispatches() }
    return false
  }

  /// Runs a dispatch when this thread has nothing open any more.
  ///
  /// - Returns: Whether it will be run. It isn't if the dispatcher is replaying: it was recorded too.
  @inlinable func deferDispatch<State: DispatchState>(
    of _: State.Type,
    on thread: CurrentThread,
    _ reduce: @escaping (CurrentThread) -> Void
  ) -> Bool {
    if thread.pointee.replaying == ObjectIdentifier(registry) { return false }
    let end = registry.beginDeferral(of: State.self)
    thread.pointee.deferredDispatches.append { thread in
      reduce(thread)
      end?()
    }
    return true
  }

  /// Reduces a state in its stores. The observers are not called yet.
  @inlinable func reduce<State: DispatchState>(
    _ state: State,
    from place: SourcePlace,
    on thread: CurrentThread
  ) {
    let route = registry.route(for: State.self) ?? registry.routeIfObserved(for: State.self)
    route?.use { route in
      guard route.currentEdition != 0 else { return }
      let hasTakenTurn = beginTurn(on: thread)
      thread.pointee.dispatchDeferrals += 1
      if route.linkedEdition != route.currentEdition { registry.link(route) }
      // Released after the turn, because these may be the last references to the stores.
      var latest: (any Storable<State>)?
      var earlier: [AnyObject]?
      var hasDead = false
      withUnsafePointer(to: state) { pointer in
        route.state = Route.address(of: pointer)
        thread.pointee.reducing = .passUnretained(route)
        var next = route.first
        while let registration = next {
          registration.use { registration in
            next = registration.next
            guard registration.isOpen else { return registration.unmark() }
            guard let store = registration.store else { return hasDead = true }
            route.current = .passUnretained(registration)
            store.reduce(with: state)
            if let latest {
              if earlier == nil { earlier = [] }
              earlier?.append(latest)
            }
            if !route.early.isEmpty { route.takeEarly(into: &earlier) }
            latest = store
          }
        }
        thread.pointee.reducing = nil
      }
      if route.isLinkedToObserver || route.linkedChannel != nil {
        earlier = passOn(state, on: route, reducedBy: earlier, latest, from: place, on: thread)
      }
      thread.pointee.dispatchDeferrals -= 1
      endTurn(on: thread, hasTakenTurn: hasTakenTurn)
      withExtendedLifetime((latest, earlier)) {}
      if hasDead { registry.removeDead(of: State.self) }
    }
  }

  /// Passes a state on to its observers and to the registry's observer. The turn must be held.
  ///
  /// - Returns: What to release after the turn, besides the latest store.
  @inlinable @inline(never) func passOn<State: DispatchState>(
    _ state: State,
    on route: Route<State>,
    reducedBy earlier: [AnyObject]?,
    _ latest: (any Storable<State>)?,
    from place: SourcePlace,
    on thread: CurrentThread
  ) -> [AnyObject]? {
    // In the thread's round, this comes after the variables that were written.
    if let channel = route.linkedChannel { channel.send(state) }
    guard route.isLinkedToObserver, let observer = registry.observer else { return earlier }
    let stores = (earlier ?? []) + [latest].compactMap(\.self)
    let types = stores.compactMap { ($0 as? any Storable).map { type(of: $0) } }
    let remains = observer.didReduce(state, in: types, from: place)
    registry.beginDelivery(of: State.self, on: thread)
    return stores + remains
  }

  /// Waits for the turn, unless this thread has it, and opens a transaction.
  ///
  /// - Returns: Whether the turn was taken, and has to be given up.
  @inlinable func beginTurn(on thread: CurrentThread) -> Bool {
    let takesTurn = !registry.turn.isHeld(by: thread.id)
    if takesTurn {
      if thread.pointee.openMutations > 0 { trapBeforeWaiting(in: "a variable's mutation") }
      if thread.pointee.openCreations > 0 { trapBeforeWaiting(in: "the init of a store") }
      registry.turn.lock(holder: thread.id)
    }
    thread.beginTransaction()
    return takesTurn
  }

  /// Closes the transaction while no other thread can reduce; gives up the turn if it was taken.
  @inlinable func endTurn(on thread: CurrentThread, hasTakenTurn: Bool) {
    thread.endTransaction()
    if hasTakenTurn { registry.turn.unlock() }
  }

  /// Waits until the reduce or transaction that another thread is in has ended, except where that may be
  /// waiting for this thread.
  func waitForTurn() {
    let thread = CurrentThread.current
    guard !registry.turn.isHeld(by: thread.id), thread.pointee.dispatchDeferrals == 0 else {
      return
    }
    registry.turn.withLock {}
  }

  @usableFromInline func trapBeforeWaiting(in place: String) -> Never {
    trap(
      "Dispatcher.transaction or Dispatcher.read was called inside \(place), where waiting for another "
        + "thread's reduce could last for ever: that reduce may be waiting for this.",
      "Call it around that, or do without it."
    )
  }
}
