import Synchronization

/// Passes each state to the stores that are registered for its type.
///
/// By default, actions and stores use the process-wide dispatcher, ``shared``. A test or a server's session can have its
/// own: create it with ``init()``, and use it inside ``withDispatcher(_:operation:)``.
///
/// Many threads can invoke states at the same time, but a dispatcher reduces one state at a time. All observers and
/// interceptors see the reduces in the same order. <doc:Promises> lists the guarantees.
public final class Dispatcher: Sendable {
  @usableFromInline let registry: Registry

  /// Whether this is the process's dispatcher.
  @usableFromInline let isOfProcess: Bool

  /// Creates a dispatcher with no stores.
  public convenience init() { self.init(Registry()) }

  /// Creates a dispatcher for a test, which may leave states without a store.
  package convenience init(reportingUnreachedStates isReporting: Bool) {
    self.init(Registry(reportingUnreachedStates: isReporting))
  }

  init(_ registry: Registry, isOfProcess: Bool = false) {
    (self.registry, self.isOfProcess) = (registry, isOfProcess)
  }

  deinit { registry.unregisterAll() }

  /// Dispatches a state to every live store that is registered for its type.
  ///
  /// The stores reduce the state in the order of their registration, before this method returns:
  ///
  /// ```swift
  /// let store = CounterStore.instantiate()
  /// Dispatcher.shared.dispatch(Dispatcher.Counter.add(2))
  /// print(store.count.value)  // 2
  /// ```
  ///
  /// You can call this method on any thread. That thread reduces the state and then, before the method returns, calls the
  /// observers on `.current`, once for each variable that a store has set. If another thread is already delivering changes
  /// of the variable, that thread calls the variable's observers instead.
  ///
  /// Code that the library calls can also dispatch states:
  ///
  /// - Inside a reduce, the body of a `modify`, a ``read(_:)`` or a store's initializer, the state is queued. The same
  ///   thread reduces it when that code has ended.
  /// - Inside a ``transaction(_:)``, the state is reduced immediately. Observers are called after the transaction.
  /// - Inside an observer, the state is reduced immediately. The new change is delivered after all observers have received
  ///   the current change.
  ///
  /// > Warning: A state that reaches no store changes nothing, and is not an error. Usually, no code has called
  /// ``Storable/instantiate()``, or the caller hasn't kept the store: the dispatcher holds stores weakly, so your code must
  /// keep them. Debug builds report such a state with ``onUnreachedState``.
  ///
  /// - Parameters:
  ///   - state: The state to dispatch.
  ///   - fileID: The file of the call, which interceptors receive.
  ///   - line: The line of the call, which interceptors receive.
  @inlinable public func dispatch<State: DispatchState>(
    _ state: State,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    recordOperation("invokes", nil, state)
    let thread = currentThread()
    let location = (fileID: fileID, line: line)
    if mustDefer(on: thread) {
      _ = deferDispatch(of: State.self, on: thread) { self.reduce(state, from: location, on: $0) }
    } else {
      reduce(state, from: location, on: thread)
      thread.deliverPlacesAndDispatch()
    }
  }

  /// Dispatches a state without the source location of the call.
  ///
  /// Use this overload where a function with one parameter is expected, as in `states.forEach(dispatcher.dispatch)`.
  /// Interceptors then receive a location in FluxCapacitor's own sources.
  ///
  /// - Parameter state: The state to dispatch.
  @_disfavoredOverload @inlinable public func dispatch<State: DispatchState>(_ state: State) {
    dispatch(state, fileID: #fileID, line: #line)
  }

  /// Dispatches a recorded state, and ignores the states that this thread invokes during the dispatch.
  ///
  /// The recording also contains the ignored states.
  package func replay(_ state: some DispatchState) {
    let thread = currentThread()
    // Inside a reduce, a mutation, a read or an initializer, the dispatcher defers a replayed state too.
    if mustDefer(on: thread) { return dispatch(state) }
    whileReplaying(on: thread) { reduce(state, from: (#fileID, #line), on: thread) }
  }

  /// Calls a closure and delivers its changes, and ignores the states that this thread invokes meanwhile.
  private func whileReplaying<Result>(on thread: CurrentThread, _ body: () -> Result) -> Result {
    let former = thread.pointee.replaying
    thread.pointee.replaying = ObjectIdentifier(registry)
    thread.pointee.dispatchDeferrals += 1
    let result = body()
    thread.deliverPlaces()
    thread.pointee.dispatchDeferrals -= 1
    thread.pointee.replaying = former
    thread.deliverPlacesAndDispatch()
    return result
  }

  /// Calls a closure, and delivers everything that it writes as one change.
  ///
  /// In this example, `first` and `last` are variables:
  ///
  /// ```swift
  /// Dispatcher.shared.transaction {
  ///   first.value = "Emmett"
  ///   last.value = "Lathrop"
  ///   last.value = "Brown"
  /// }  // Observers of `last` are called once, with "Brown", and read "Emmett" from `first`.
  /// ```
  ///
  /// After the transaction, the observers of each written variable are called once, with its last value. While the
  /// transaction runs, no other thread can run a reduce of this dispatcher. Inside a reduce or another transaction, the
  /// closure becomes part of it. If the closure throws an error, what it has written remains, and is delivered.
  /// <doc:Promises> says what happens if another thread writes the same variables meanwhile.
  ///
  /// - Precondition: The thread is not in a `modify`, a change in place or the initializer of a store. Otherwise, the
  ///   method traps, because waiting for another thread's reduce could take forever. It doesn't trap if the thread is
  ///   already in a reduce, a transaction or a read of this dispatcher.
  ///
  /// > Warning: Two threads that nest transactions of two dispatchers in opposite orders can deadlock.
  ///
  /// - Parameter body: The closure that writes the variables.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  @inlinable public func transaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    recordOperation("runs a transaction")
    runEarlierDispatches()
    return try inTurn { () throws(Failure) in
      registry.noteTransaction()
      defer { registry.noteTransaction() }
      return try body()
    }
  }

  /// Calls a closure that reads several constants, while no other thread can run a reduce or a transaction.
  ///
  /// Without this method, a thread that reads several constants can see values of another thread's half-finished reduce,
  /// even in an observer. If the closure invokes a state, the state is queued until the closure has returned.
  ///
  /// - Precondition: The thread is not in a `modify`, a change in place or the initializer of a store. Otherwise, the
  ///   method traps, unless the thread is already in a reduce, a transaction or a read of this dispatcher.
  ///
  /// - Parameter body: The closure that reads the constants.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  @inlinable public func read<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    recordOperation("reads constants together")
    let thread = currentThread()
    return try inTurn { () throws(Failure) in
      thread.pointee.dispatchDeferrals += 1
      defer { thread.pointee.dispatchDeferrals -= 1 }
      return try body()
    }
  }

  /// Calls a closure that restores earlier or later values of the stores, as a transaction.
  package func travel<Result>(_ body: () -> Result) -> Result {
    runEarlierDispatches()
    let thread = currentThread()
    // Inside an observer, a reduce or a transaction, the changes are delivered later, together with the outer ones.
    guard thread.pointee.openTransactions == 0, !mustDefer(on: thread) else {
      return travelInTurn(body)
    }
    // The history contains the states that observers have invoked.
    return whileReplaying(on: thread) { travelInTurn(body) }
  }

  private func travelInTurn<Result>(_ body: () -> Result) -> Result {
    inTurn {
      let watchers = registry.watchers
      func note(_ change: StoreWatcher.Change) {
        read { withDispatcher(self) { for watcher in watchers { watcher.note(change) } } }
      }
      note(.travel)
      let result = body()
      note(.endOfTravel)
      let delivery = pendingWork.begin(.delivery(of: Dispatcher.self))
      currentThread().endAfterRound(delivery)
      return result
    }
  }

  /// Whether the current thread is calling an observer.
  package static var isInObserver: Bool { currentThread().pointee.isDelivering }

  /// Whether the current thread is in a reduce of this dispatcher.
  package var isReducing: Bool {
    registry.turn.isHeldByCurrentThread && currentThread().pointee.reducing != nil
  }

  /// Calls a closure when this dispatcher and the process's one at the same time have no observer that is still to be called
  /// because of a dispatch, of a travel or on a queue.
  package func whenCallsEnd(_ body: @escaping @Sendable () -> Void) {
    pendingWork.whenCallsEnd { [self] in
      let changes = pendingWork.changeCount
      PendingWork.ofProcess.whenCallsEnd { [self] in
        // Meanwhile, a call of the process's dispatcher might have led to one of this dispatcher.
        let isStill = !pendingWork.hasCalls && pendingWork.changeCount == changes
        if isStill { body() } else { whenCallsEnd(body) }
      }
    }
  }

  /// Returns the single live store of a type, which a closure creates if there is none.
  ///
  /// Other threads that request the store wait until the closure has returned. If the closure throws, no
  /// store is registered.
  ///
  /// - Parameter create: A closure that returns a new store, and the store's watcher if it has one.
  /// - Returns: The store, and whether this call has created the store.
  package func instantiate<S: Storable, Failure: Error>(
    _: S.Type,
    creating create: () throws(Failure) -> (S, StoreWatcher?)
  ) throws(Failure) -> (store: S, isNew: Bool) {
    try registry.instantiate(S.self, creating: create)
  }

  /// Unregisters all stores. Later states don't reach them, and later calls of `instantiate()` create new stores.
  public func unregisterAll() {
    recordOperation("unregisters all stores")
    registry.unregisterAll()
  }
}

// MARK: - The shared dispatcher

extension Dispatcher {
  /// The process-wide dispatcher or, inside ``withDispatcher(_:operation:)``, the one that was passed to that function.
  ///
  /// A closure that you pass to the library, such as an observer, later sees the dispatcher that was shared when you passed
  /// it, whichever thread calls it. A reduce sees the dispatcher that reduces. <doc:Threads> has an example.
  public static var shared: Dispatcher {
    let shortcut = shortcut.load(ordering: .acquiring)
    guard !Surroundings.isEverReplaced.load(ordering: .relaxed),
      let address = UnsafeRawPointer(bitPattern: shortcut)
    else {
      return sharedByLookUp
    }
    // The address belongs to `ofProcess`, which is never released.
    return Unmanaged.fromOpaque(address).takeUnretainedValue()
  }

  private static var sharedByLookUp: Dispatcher {
    let address = UInt(bitPattern: Unmanaged.passUnretained(ofProcess).toOpaque())
    _ = shortcut.compareExchange(expected: 0, desired: address, ordering: .releasing)
    // The downcast is safe, because only `withDispatcher` sets the replacement, and always to a
    // dispatcher.
    let replacement = Surroundings.ofTask.get()
    return replacement.map { unsafeDowncast($0, to: Dispatcher.self) } ?? ofProcess
  }

  /// The address of the process's dispatcher, or zero before the dispatcher is created.
  ///
  /// Until code replaces that dispatcher for the first time, finding it requires no read of a `TaskLocal`, which takes
  /// longer than all other steps. Threads store the address with release ordering and load it with acquire ordering. So
  /// a thread that loads the address finds the dispatcher initialized.
  private static let shortcut = Atomic<UInt>(0)

  static let ofProcess = Dispatcher(
    Registry(pendingWork: .ofProcess, reportingUnreachedStates: true),
    isOfProcess: true
  )
}

extension Dispatcher: PendingWorkOwner {
  /// The work in progress on behalf of this dispatcher.
  package var pendingWork: PendingWork { registry.pendingWork }
}
