/// The hooks of a dispatcher: closures that are called after every reduce, for states of all types.
///
/// The dispatching thread calls the hooks before any observer, with the dispatcher's turn held. So a hook
/// must not run user code, and only takes notes.
final class DispatchHooks: ReduceObserver, @unchecked Sendable {
  fileprivate final class Hook: Sendable {
    let call: @Sendable (DispatchEvent) -> Void

    /// The number of the first event that the hook receives, or zero if the hook doesn't want the changes.
    let first: Int

    init(from first: Int, _ call: @escaping @Sendable (DispatchEvent) -> Void) {
      self.first = first
      self.call = call
    }
  }

  // Guarded by `lock`.
  private let lock = Lock()
  @exclusivity(unchecked) private var hooks: [Hook] = []

  /// The number of recorded reduces that have begun. It is also the number of the latest reduce's event.
  @exclusivity(unchecked) private var reducesRecorded = 0

  /// The record of the current reduce. It belongs to the thread that has the turn, so `lock` doesn't guard
  /// it.
  @exclusivity(unchecked) private var record: ReduceRecord?

  fileprivate func add(
    wantingChanges wantsChanges: Bool,
    to registry: Registry,
    _ call: @escaping @Sendable (DispatchEvent) -> Void
  ) -> Hook {
    lock.withLock {
      // A reduce that has already begun may have no record, so the first event is the next one.
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
    // The hook is released after unlocking, because a deinit may run user code.
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
    // There is no record if the last hook was removed just as the reduce began.
    guard let record = record.take() else { return [] }
    // A hook's properties are read under the lock. So the thread sanitizer sees that these reads come
    // before the hook's end on another thread. The reference count alone doesn't show it this order.
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
  /// The hooks of the registry's dispatcher, created on first use.
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
  /// Calls a closure after every reduce that begins from now on.
  ///
  /// The dispatcher's turn is held during the call, so the closure must not run user code. A dispatch
  /// without hooks costs nothing extra.
  ///
  /// - Parameter wantsChanges: Whether the events must contain the changes of variables.
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

  /// Returns whether a state would reach a store that is alive and registered.
  package func hasStores<State: DispatchState>(for _: State) -> Bool {
    // The stores are released after unlocking, because these may be the last references to them.
    let stores = registry.lock.withLock {
      registry.route(for: State.self)?.takeUnretainedValue().liveStores() ?? []
    }
    return !stores.isEmpty
  }

  /// The stores that are alive and registered, with their variables, in the order of their names.
  ///
  /// The property waits for the turn, so that it doesn't read a store in the middle of a reduce.
  package var contentsOfStores: [(store: any Storable.Type, contents: StoreContents)] {
    // The stores are released after the turn, because these may be the last references to them.
    let stores = registry.allStores
    return read {
      stores.map { (store: type(of: $0), contents: StoreContents(of: $0)) }
        .sorted { sourceName(of: $0.store) < sourceName(of: $1.store) }
    }
  }

  /// The process's dispatcher, even inside `withDispatcher`.
  package static var processWide: Dispatcher { ofProcess }
}
