import Synchronization

extension Dispatcher {
  /// Returns whether a reduce, a mutation, a read or a store's initializer on this thread defers a dispatch.
  ///
  /// Before the method returns false, this thread runs the dispatches that it deferred earlier.
  @inlinable func mustDefer(on thread: CurrentThread) -> Bool {
    if thread.pointee.dispatchDeferrals > 0 { return true }
    if !thread.pointee.deferredDispatches.isEmpty { thread.runDeferredDispatches() }
    return false
  }

  /// Whether states that this thread invokes wait for the end of a reduce, a `modify`, a `read` or an initializer.
  package static var defersStates: Bool { currentThread().pointee.dispatchDeferrals > 0 }

  /// Runs the dispatches that this thread deferred in an earlier reduce, so that a transaction that begins now doesn't
  /// reduce their states as a part of it.
  @inlinable func runEarlierDispatches() {
    let thread = currentThread()
    if thread.pointee.openTransactions == 0 { _ = mustDefer(on: thread) }
  }

  /// Queues a dispatch until this thread has left every reduce, mutation, read and initializer of a store.
  ///
  /// - Returns: Whether the dispatch is queued. During a replay, the dispatcher drops the dispatch, because
  ///   the recording also contains the dispatched state.
  @inlinable func deferDispatch<State: DispatchState>(
    of _: State.Type,
    on thread: CurrentThread,
    _ reduce: @escaping (CurrentThread) -> Void
  ) -> Bool {
    if thread.pointee.replaying == ObjectIdentifier(registry) { return false }
    let piece = registry.beginDeferral(of: State.self)
    thread.pointee.deferredDispatches.append { thread in
      reduce(thread)
      thread.endAfterRound(piece)
    }
    return true
  }

  /// Calls a closure, which sees this dispatcher as the shared one.
  @usableFromInline func beShared<Result>(during body: () throws -> Result) rethrows -> Result {
    Surroundings.isEverReplaced.store(true, ordering: .relaxed)
    return try Surroundings.ofTask.withValue(self, operation: body)
  }

  /// Reduces a state in the registered stores, which see this dispatcher as the shared one, and commits. Observers are
  /// called after the turn.
  @inlinable func reduce<State: DispatchState>(
    _ state: State,
    from location: SourceLocation,
    on thread: CurrentThread
  ) {
    // Until code replaces the process's dispatcher, its stores see no other one.
    guard isOfProcess && !thread.pointee.isEverReplaced || self === Dispatcher.shared else {
      return beShared { reduce(state, from: location, on: thread) }
    }
    recordOperation("invokes", nil, state)
    let route =
      registry.routes.route(for: State.self)
      ?? registry.routeIfObserved(for: State.self).map { .passUnretained($0) }
    #if DEBUG
      var isReduced = false
      var channel: EventChannel<State>?
      defer { if !isReduced { noteUnreached(state, from: location, on: thread, sentTo: channel) } }
    #endif
    route?.use { route in
      // Without receivers, neither a store nor an observer of states is registered.
      guard route.currentReceivers != nil || registry.isIntercepted else { return }
      let hasTakenTurn = beginTurn(on: thread)
      thread.pointee.dispatchDeferrals += 1
      // A registration needs no turn, so there can be later receivers than those of the latest reduce.
      let used = Unmanaged.passUnretained(route.receivers)
      if route.currentReceivers?.toOpaque() != used.toOpaque() { registry.update(route) }
      let observer = registry.isIntercepted ? registry.observer : nil
      observer?.willReduce(on: route)
      registry.noteTransaction()
      // This thread releases these objects after the turn, because it might hold the last references.
      var latest: (any Storable<State>)?
      var earlier: [any Storable]?
      var remains: [AnyObject]?
      var hasDead = false
      withUnsafePointer(to: state) { pointer in
        // A state of size zero might have no valid address, but can be read from any aligned one.
        let anywhere = UnsafePointer<State>(bitPattern: MemoryLayout<State>.alignment)
        route.state = MemoryLayout<State>.size > 0 ? pointer : anywhere
        thread.pointee.reducing = .passUnretained(route)
        for reference in route.receivers.references {
          reference.use { registration in
            guard registration.isToReduce else { return registration.hasReducedEarly = false }
            guard let store = registration.store else { return hasDead = true }
            route.current = reference
            store.reduce(with: state)
            registration.watcher?.note(.reduce)
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
      registry.noteTransaction()
      #if DEBUG
        (isReduced, channel) = (latest != nil, route.receivers.channel)
      #endif
      // In the thread's round (its queue of deliveries), the state follows the variables that stores wrote.
      if let channel = route.receivers.channel { channel.send(state) }
      if let observer {
        remains = report(
          state,
          to: observer,
          reducedBy: earlier,
          latest,
          from: location,
          on: thread
        )
      }
      thread.pointee.dispatchDeferrals -= 1
      endTurn(on: thread, hasTakenTurn: hasTakenTurn)
      if thread.pointee.openTransactions > 0 {
        // This thread still holds a turn.
        earlier?.forEach(thread.keepUntilUnlocked)
        latest.map(thread.keepUntilUnlocked)
        releaseAfterUnlocking(remains)
      }
      withExtendedLifetime((latest, earlier, remains)) {}
      if hasDead { registry.removeDead(of: State.self) }
    }
  }

  /// Passes a reduced state to the registry's observer. The caller must hold the dispatcher's turn.
  ///
  /// - Returns: The objects that the caller releases after the turn.
  @inlinable @inline(never) func report<State: DispatchState>(
    _ state: State,
    to observer: any ReduceObserver,
    reducedBy earlier: [any Storable]?,
    _ latest: (any Storable<State>)?,
    from location: SourceLocation,
    on thread: CurrentThread
  ) -> [AnyObject] {
    var types = earlier?.map { type(of: $0) } ?? []
    if let latest { types.append(type(of: latest)) }
    let remains = observer.didReduce(state, in: types, from: location, of: registry)
    registry.beginDelivery(of: State.self, on: thread)
    return remains
  }

  /// Calls a closure as a transaction, while this thread holds the dispatcher's turn.
  @inlinable func inTurn<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let thread = currentThread()
    let hasTakenTurn = beginTurn(on: thread)
    defer {
      endTurn(on: thread, hasTakenTurn: hasTakenTurn)
      thread.deliverPlacesAndDispatch()
    }
    return try body()
  }

  /// Takes the dispatcher's turn, unless this thread already holds the turn, and opens a transaction.
  ///
  /// - Returns: Whether this call has taken the turn, so that `endTurn` must give up the turn.
  @inlinable func beginTurn(on thread: CurrentThread) -> Bool {
    let takesTurn = !registry.turn.isHeldByCurrentThread
    if takesTurn {
      if thread.pointee.openMutations > 0 { trapBeforeWaiting(in: "a variable's mutation") }
      if thread.pointee.openCreations > 0 { trapBeforeWaiting(in: "a store's initializer") }
      registry.turn.lock(holder: thread.pointee.id)
    }
    thread.pointee.openTransactions += 1
    return takesTurn
  }

  /// Closes the transaction, and then gives up the turn if `beginTurn` took the turn.
  @inlinable func endTurn(on thread: CurrentThread, hasTakenTurn: Bool) {
    thread.endTransaction()
    if hasTakenTurn { registry.turn.unlock() }
  }

  /// Waits until no other thread is in a reduce, a transaction or a read of this dispatcher.
  ///
  /// If this thread has an open transaction or defers dispatches, the method returns immediately, because the
  /// other thread might be waiting for this thread.
  func waitForTurn() {
    let thread = currentThread()
    guard thread.pointee.openTransactions == 0, thread.pointee.dispatchDeferrals == 0 else {
      return
    }
    registry.turn.withLock {}
  }

  @usableFromInline func trapBeforeWaiting(in code: String) -> Never {
    trap(
      "Dispatcher.transaction or Dispatcher.read was called inside \(code). It could wait forever "
        + "for another thread's reduce, which may be waiting for this thread.",
      "Call it before or around \(code), or remove the call."
    )
  }
}

// MARK: - What a reduce asks of the registry

extension Registry {
  /// Whether a dispatching thread calls the registry's observer.
  @inlinable var isIntercepted: Bool { observerIsEnabled.read { $0.load(ordering: .acquiring) } }

  func setIntercepted(_ isIntercepted: Bool) {
    observerIsEnabled.write { $0.store(isIntercepted, ordering: .releasing) }
  }

  /// Creates a route for a type of states that has no route, if the registry's observer is enabled.
  @usableFromInline
  func routeIfObserved<State: DispatchState>(for _: State.Type) -> Route<State>? {
    isIntercepted ? lock.withLock { routeForRegistering(State.self) } : nil
  }

  /// Adds a deferred dispatch to the pending work.
  ///
  /// - Returns: A piece of work, which ends when this thread has delivered the changes of the reduce.
  @usableFromInline func beginDeferral(of type: any DispatchState.Type) -> PendingWork.Ticket {
    pendingWork.begin(.deferredDispatch(of: type))
  }

  /// Adds an entry to the pending work, because this thread has not called the observers of a state yet.
  @usableFromInline func beginDelivery(of type: any DispatchState.Type, on thread: CurrentThread) {
    if thread.pointee.accounts.contains(where: { $0.record === pendingWork }) { return }
    thread.endAfterRound(pendingWork.begin(.delivery(of: type)))
  }

  /// The watchers of the registered stores, in no particular order.
  var watchers: [StoreWatcher] { lock.withLock { routes.routes.flatMap { $0.watchers() } } }

  /// Notes that any watched store might change or has changed. The caller must hold the dispatcher's turn.
  ///
  /// A store that is released in a transaction must be noted at the beginning, and one that is created must be noted at the
  /// end.
  @inlinable func noteTransaction() {
    if isWatched.load(ordering: .relaxed) { noteTransactionOfAll() }
  }

  @usableFromInline @inline(never) func noteTransactionOfAll() {
    // A watcher that waits again from now on needs another call.
    isWatched.store(false, ordering: .relaxed)
    for watcher in watchers { watcher.note(.transaction) }
  }
}
