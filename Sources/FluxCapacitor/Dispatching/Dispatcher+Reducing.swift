extension Dispatcher {
  /// Returns whether a dispatch must wait, because a reduce, a mutation, a read or the initializer of a
  /// store is open on this thread.
  ///
  /// If the dispatch needn't wait, the method first runs the dispatches that this thread deferred earlier.
  @inlinable func mustDefer(on thread: CurrentThread) -> Bool {
    if thread.pointee.dispatchDeferrals > 0 { return true }
    if !thread.pointee.deferredDispatches.isEmpty { thread.runDeferredDispatches() }
    return false
  }

  /// Runs a dispatch once no reduce, mutation, read or initializer of a store is open on this thread.
  ///
  /// - Returns: Whether the dispatch will run. It won't if the dispatcher is replaying, because the
  ///   recording contains this dispatch too.
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

  /// Reduces a state in its stores, without calling the observers yet.
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
      // These are released after the turn, because they may be the last references to the stores.
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
  /// - Returns: The objects to release after the turn, besides the latest store.
  @inlinable @inline(never) func passOn<State: DispatchState>(
    _ state: State,
    on route: Route<State>,
    reducedBy earlier: [AnyObject]?,
    _ latest: (any Storable<State>)?,
    from place: SourcePlace,
    on thread: CurrentThread
  ) -> [AnyObject]? {
    // In the thread's round, the state comes after the variables that were written.
    if let channel = route.linkedChannel { channel.send(state) }
    guard route.isLinkedToObserver, let observer = registry.observer else { return earlier }
    let stores = (earlier ?? []) + [latest].compactMap(\.self)
    let types = stores.compactMap { ($0 as? any Storable).map { type(of: $0) } }
    let remains = observer.didReduce(state, in: types, from: place)
    registry.beginDelivery(of: State.self, on: thread)
    return stores + remains
  }

  /// Waits for the turn, unless this thread already holds it, and opens a transaction.
  ///
  /// - Returns: Whether this call has taken the turn, so that `endTurn` must give it up.
  @inlinable func beginTurn(on thread: CurrentThread) -> Bool {
    let takesTurn = !registry.turn.isHeld(by: thread.id)
    if takesTurn {
      if thread.pointee.openMutations > 0 { trapBeforeWaiting(in: "a variable's mutation") }
      if thread.pointee.openCreations > 0 { trapBeforeWaiting(in: "a store's initializer") }
      registry.turn.lock(holder: thread.id)
    }
    thread.beginTransaction()
    return takesTurn
  }

  /// Closes the transaction while no other thread can reduce, and gives up the turn if `beginTurn` took it.
  @inlinable func endTurn(on thread: CurrentThread, hasTakenTurn: Bool) {
    thread.endTransaction()
    if hasTakenTurn { registry.turn.unlock() }
  }

  /// Waits for the end of a reduce or a transaction on another thread.
  ///
  /// The method returns immediately if this thread holds the turn or defers its dispatches, because the
  /// other thread may be waiting for this one.
  func waitForTurn() {
    let thread = CurrentThread.current
    guard !registry.turn.isHeld(by: thread.id), thread.pointee.dispatchDeferrals == 0 else {
      return
    }
    registry.turn.withLock {}
  }

  @usableFromInline func trapBeforeWaiting(in place: String) -> Never {
    trap(
      "Dispatcher.transaction or Dispatcher.read was called inside \(place). It could wait forever "
        + "for another thread's reduce, which may be waiting for this thread.",
      "Call it before or around \(place), or remove the call."
    )
  }
}
