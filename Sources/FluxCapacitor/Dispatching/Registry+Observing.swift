import Synchronization

extension Registry {
  /// Whether a dispatching thread calls the registry's observer.
  @inlinable var isIntercepted: Bool { observerIsEnabled.read { $0.load(ordering: .acquiring) } }

  func setIntercepted(_ isIntercepted: Bool) {
    observerIsEnabled.write { $0.store(isIntercepted, ordering: .releasing) }
  }

  /// Creates a route for a type of states that has no route, if the registry's observer is enabled.
  @usableFromInline
  func routeIfObserved<State: DispatchState>(for _: State.Type) -> Unmanaged<Route<State>>? {
    isIntercepted ? lock.withLock { .passUnretained(routeForRegistering(State.self)) } : nil
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

  /// Notes a change for each watched store. The caller must hold the dispatcher's turn.
  @usableFromInline @inline(never) func noteTransaction() {
    for watcher in watchers { watcher.note(.transaction) }
  }
}
