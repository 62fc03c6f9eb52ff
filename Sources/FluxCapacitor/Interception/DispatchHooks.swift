/// The hooks of a dispatcher, which are closures that the dispatcher calls after every reduce.
///
/// The dispatching thread calls the hooks before any observer, while the thread holds the dispatcher's turn.
/// So a hook must not run user code.
final class DispatchHooks: ReduceObserver, @unchecked Sendable {
  fileprivate final class Hook: Sendable {
    let call: @Sendable (DispatchEvent) -> Void

    /// The number of the first event that the hook receives, or zero if the hook needs no recorded changes.
    let first: Int

    init(from first: Int, _ call: @escaping @Sendable (DispatchEvent) -> Void) {
      self.first = first
      self.call = call
    }
  }

  // `lock` guards `hooks` and `reducesRecorded`.
  private let lock = Lock()
  @exclusivity(unchecked) private var hooks: [Hook] = []

  /// The number of recorded reduces that have begun, which is also the number of the latest event.
  @exclusivity(unchecked) private var reducesRecorded = 0

  /// The record of the current reduce, which only the thread that holds the turn accesses, without `lock`.
  @exclusivity(unchecked) private var record: ReduceRecord?

  fileprivate func add(
    wantingChanges wantsChanges: Bool,
    to registry: Registry,
    _ call: @escaping @Sendable (DispatchEvent) -> Void
  ) -> Hook {
    lock.withLock {
      // A reduce that has already begun might have no record, so the hook starts with the next reduce.
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
    // This thread releases the hook after unlocking, because releasing its closure can run user code.
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
    // If another thread removes the last hook when the reduce begins, the reduce has no record.
    guard let record = record.take() else { return [] }
    // This thread reads a hook's properties under the lock, for the thread sanitizer. The sanitizer doesn't
    // learn from reference counts that these reads precede the hook's deallocation on another thread.
    let (hooks, calls, number) = lock.withLock {
      let hooks = self.hooks.filter { $0.first <= reducesRecorded }
      return (hooks, hooks.map(\.call), reducesRecorded)
    }
    let event = record.event(of: state, numbered: number, in: stores, from: place)
    // The loop calls the first hook last, because each hook puts its event at the front of the thread's
    // round (its queue of deliveries).
    for call in calls.reversed() { call(event) }
    return [record] + hooks
  }
}

extension Registry {
  /// The hooks of the registry's dispatcher, which the first access creates.
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
  /// If a dispatcher has no hooks, a dispatch has no extra cost.
  ///
  /// > Warning: The closure must not run user code, because the thread holds the dispatcher's turn during
  /// the call.
  ///
  /// - Parameter wantsChanges: Whether the events must contain the changes to variables.
  /// - Returns: A Dust that removes the hook.
  package func addHook(
    wantingChanges wantsChanges: Bool = false,
    _ hook: @escaping @Sendable (DispatchEvent) -> Void
  ) -> Dust {
    let hook = registry.hooks.add(wantingChanges: wantsChanges, to: registry, hook)
    return ActionDust { [weak registry, weak hook] in
      if let registry, let hook { registry.hooks.remove(hook, from: registry) }
    }
  }

  /// Returns whether a state would reach a live, registered store.
  package func hasStores<State: DispatchState>(for _: State) -> Bool {
    registry.hasStores(for: State.self)
  }

  /// The live, registered stores with their variables, in the order of the stores' names.
  ///
  /// The property waits for the dispatcher's turn, so that the values don't come from an unfinished reduce.
  package var contentsOfStores: [(store: any Storable.Type, contents: StoreContents)] {
    // This thread releases the stores after the turn, because `stores` might hold the last references.
    let stores = registry.allStores
    return read {
      stores.map { (store: type(of: $0), contents: StoreContents(of: $0)) }
        .sorted { sourceName(of: $0.store) < sourceName(of: $1.store) }
    }
  }

  /// The process-wide dispatcher, even inside `withDispatcher`.
  package static var processWide: Dispatcher { ofProcess }
}
