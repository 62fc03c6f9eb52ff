/// The hooks of a dispatcher: closures that are called after every reduce, of states of all types.
///
/// They are called with the dispatcher's turn held, on the thread that dispatches, before any
/// observer. So they must run no user code, and only take notes.
final class DispatchHooks: ReduceObserver, @unchecked Sendable {
  fileprivate final class Hook: Sendable {
    let call: @Sendable (DispatchEvent) -> Void

    /// The number of the first event that it is called with; zero if it doesn't want the changes.
    let first: Int

    init(from first: Int, _ call: @escaping @Sendable (DispatchEvent) -> Void) {
      self.first = first
      self.call = call
    }
  }

  // Guarded by `lock`.
  private let lock = Lock()
  @exclusivity(unchecked) private var hooks: [Hook] = []

  /// How many recorded reduces have begun. The number of each is that of its event.
  @exclusivity(unchecked) private var reducesRecorded = 0

  /// Belongs to the thread that has the turn, and so is not guarded by `lock`.
  @exclusivity(unchecked) private var record: ReduceRecord?

  fileprivate func add(
    wantingChanges wantsChanges: Bool,
    to registry: Registry,
    _ call: @escaping @Sendable (DispatchEvent) -> Void
  ) -> Hook {
    lock.withLock {
      // A reduce that has already begun may have no record.
      let hook = Hook(from: wantsChanges ? reducesRecorded + 1 : 0, call)
      hooks.append(hook)
      registry.setObserved(true)
      return hook
    }
  }

  fileprivate func remove(_ hook: Hook, from registry: Registry) {
    lock.withLock {
      hooks.removeAll { $0 === hook }
      if hooks.isEmpty { registry.setObserved(false) }
    }
    // Released after unlocking, because a deinit may run user code.
    withExtendedLifetime(hook) {}
  }

  func willReduce<State: DispatchState>(in registrations: [Registration<State>]) {
    let isRecorded = lock.withLock {
      let isRecorded = hooks.contains { $0.first > 0 }
      if isRecorded { reducesRecorded += 1 }
      return isRecorded
    }
    record = ReduceRecord(of: isRecorded ? registrations : [])
  }

  func didReduce(
    _ state: any DispatchState,
    in stores: [any Storable.Type],
    from place: SourcePlace
  ) -> [AnyObject] {
    // There is none if the last hook was removed just as the reduce began.
    guard let record = record.take() else { return [] }
    // Nothing of a hook is read without the lock, so that the thread sanitizer sees an order between
    // that and its end on another thread, which the reference count alone doesn't show it.
    let (hooks, calls, number) = lock.withLock {
      let hooks = self.hooks.filter { $0.first <= reducesRecorded }
      return (hooks, hooks.map(\.call), reducesRecorded)
    }
    let event = record.event(of: state, numbered: number, in: stores, from: place)
    // Each hook puts its event in front of the thread's round, so the first hook is called last.
    for call in calls.reversed() { call(event) }
    return [record] + hooks
  }
}

extension Registry {
  /// The hooks of its dispatcher, created on first use.
  fileprivate var hooks: DispatchHooks {
    lock.withLock {
      if let hooks = observer as? DispatchHooks { return hooks }
      let hooks = DispatchHooks()
      observer = hooks
      return hooks
    }
  }
}

extension Dispatcher {
  /// Calls a closure after every reduce that begins from now on, with the dispatcher's turn held,
  /// so it must run no user code. Without hooks, they cost a dispatch nothing.
  ///
  /// - Parameter wantsChanges: Whether the events must contain what has changed.
  /// - Returns: The Dust that removes the hook.
  package func addHook(
    wantingChanges wantsChanges: Bool = false,
    _ hook: @escaping @Sendable (DispatchEvent) -> Void
  ) -> Dust {
    let hook = registry.hooks.add(wantingChanges: wantsChanges, to: registry, hook)
    return ActionDust { [weak registry, weak hook] in
      if let registry, let hook { registry.hooks.remove(hook, from: registry) }
    }
  }

  /// Whether a state would reach a store that is alive and registered.
  package func hasStores<State: DispatchState>(for _: State) -> Bool {
    // Released after unlocking, because these may be the last references to them.
    let stores = registry.lock.withLock {
      registry.route(for: State.self)?.takeUnretainedValue().liveStores() ?? []
    }
    return !stores.isEmpty
  }

  /// The stores that are alive and registered, with their variables, in the order of their names.
  /// This waits for the turn, so that no store is looked at in the middle of a reduce.
  package var contentsOfStores: [(store: any Storable.Type, contents: StoreContents)] {
    // Released after the turn, because these may be the last references to them.
    let stores = registry.allStores
    return read {
      stores.map { (store: type(of: $0), contents: StoreContents(of: $0)) }
        .sorted { sourceName(of: $0.store) < sourceName(of: $1.store) }
    }
  }

  /// The process's dispatcher, even where it is replaced.
  package static var processWide: Dispatcher { ofProcess }
}
