import Synchronization

extension Registry {
  /// Has the observer called for each reduce from now on, or no longer.
  func setObserved(_ isObserved: Bool) {
    lock.withLock {
      lock.schedulePoint(.write)
      self.isObserved.store(isObserved, ordering: .releasing)
      for route in routes.routes { route.setObserved(isObserved) }
    }
  }

  /// The route of a type of states that no store and no observer of theirs has asked for, if all are observed.
  @inlinable
  func routeIfObserved<State: DispatchState>(for _: State.Type) -> Unmanaged<Route<State>>? {
    lock.schedulePoint(.read)
    return isObserved.load(ordering: .relaxed) ? observedRoute(for: State.self) : nil
  }

  @usableFromInline
  func observedRoute<State: DispatchState>(for _: State.Type) -> Unmanaged<Route<State>> {
    lock.withLock { .passUnretained(routeForRegistering(State.self)) }
  }

  /// Notes that a state waits for the end of the reduce that it was invoked in, if that is of interest.
  ///
  /// - Returns: A closure to be called when it has been reduced.
  @usableFromInline
  func beginDeferral(of type: any DispatchState.Type) -> (@Sendable () -> Void)? {
    guard isObserved.load(ordering: .relaxed) else { return nil }
    return pendingWork.begin {
      "A \(sourceName(of: type)) waits for the end of the reduce that invoked it."
    }
  }

  /// Notes that this thread has to call the observers of what a state has changed.
  @usableFromInline
  func beginTelling(of type: any DispatchState.Type, on thread: CurrentThread) {
    guard !thread.pointee.round.isEmpty,
      !thread.pointee.accounts.contains(where: { $0.of === pendingWork })
    else { return }
    let end = pendingWork.begin { "The observers of a \(sourceName(of: type)) are being told." }
    thread.pointee.accounts.append((of: pendingWork, end: end))
  }
}
