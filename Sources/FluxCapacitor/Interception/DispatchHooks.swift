/// The hooks of a dispatcher, which are closures that the dispatcher calls after every reduce.
///
/// The dispatching thread calls the hooks before any observer, while the thread holds the dispatcher's turn.
/// So a hook must not run user code.
final class DispatchHooks: ReduceObserver, @unchecked Sendable {
  final class Hook: Sendable {
    let content: EventContent
    let call: @Sendable (DispatchEvent) -> Void

    init(content: EventContent, call: @escaping @Sendable (DispatchEvent) -> Void) {
      (self.content, self.call) = (content, call)
    }
  }

  // `lock` guards the three properties below.
  private let lock = Lock()
  private var hooks: [Hook] = []
  private var stores = RegisteredStores()

  /// The number of numbered reduces that have begun, which is also the number of the latest event.
  private var latestEvent = 0

  /// The record of the current reduce, which only the thread that holds the turn accesses, without `lock`.
  private var record: ReduceRecord?

  /// Adds or removes hooks. The caller must release a removed hook after this call, because releasing the hook's
  /// closure can run user code.
  fileprivate func change(for registry: Registry, _ change: (inout [Hook]) -> Void) {
    var seen: [AnyObject] = []
    lock.withLock {
      let hadChanges = hooks.content == .changes
      change(&hooks)
      if hooks.content == .changes, !hadChanges {
        _ = stores.update(from: registry, seen: &seen)
      }
      registry.setIntercepted(!hooks.isEmpty)
    }
    releaseAfterUnlocking(seen)
  }

  func willReduce<State: DispatchState>(on route: Route<State>) {
    let (number, hooks) = lock.withLock {
      if self.hooks.content >= .sequenceNumber { latestEvent += 1 }
      return (latestEvent, self.hooks)
    }
    let registrations =
      hooks.content == .changes ? route.receivers.registrations : []
    record = ReduceRecord(of: registrations, numbered: number, for: hooks)
  }

  func didReduce(
    _ state: any DispatchState,
    in stores: [any Storable.Type],
    from location: SourceLocation,
    of registry: Registry
  ) -> [AnyObject] {
    // If another thread removes the last hook when the reduce begins, the reduce has no record.
    guard let record = record.take() else { return [] }
    var seen: [AnyObject] = []
    let storeChanges =
      record.hooks.content == .changes
      ? lock.withLock { self.stores.update(from: registry, seen: &seen) } : []
    let event = record.makeEvent(of: state, in: stores, storeChanges, from: location)
    // The loop calls the first hook last, because each hook puts its event at the front of the thread's
    // round (its queue of deliveries).
    for hook in record.hooks.reversed() {
      hook.call(hook.content == .changes ? event : event.withoutChanges)
    }
    seen.append(record)
    return seen
  }
}

extension [DispatchHooks.Hook] {
  /// The largest content that a hook needs.
  fileprivate var content: EventContent { lazy.map(\.content).max() ?? .nothing }
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
  /// - Parameter content: What the events must contain besides the state.
  /// - Returns: A Dust that removes the hook.
  package func addHook(
    receiving content: EventContent = .nothing,
    _ hook: @escaping @Sendable (DispatchEvent) -> Void
  ) -> Dust {
    let hook = DispatchHooks.Hook(content: content, call: hook)
    registry.hooks.change(for: registry) { $0.append(hook) }
    return ActionDust { [weak registry, weak hook] in
      guard let registry, let hook else { return }
      releaseAfterUnlocking(registry)
      registry.hooks.change(for: registry) { $0.removeAll { $0 === hook } }
    }
  }

  /// Returns whether a state would reach a live, registered store.
  package func hasStores<State: DispatchState>(for _: State) -> Bool {
    let stores = registry.allStores
    // A hook asks this during a turn, when `stores` might have the last references.
    releaseAfterUnlocking(stores)
    return stores.contains { $0 is any Storable<State> }
  }

  /// Returns whether a store is registered.
  package func isRegistered(_ store: some Storable) -> Bool {
    registry.allStores.contains { $0 === store }
  }

  /// The live, registered stores with their variables, in the order of the stores' names.
  ///
  /// The property waits for the dispatcher's turn, so that the values don't come from an unfinished reduce.
  package var contentsOfStores: [(store: any Storable.Type, contents: StoreContents)] {
    // This thread releases the stores after the turn, because `stores` might hold the last references.
    let stores = registry.allStores
    defer { releaseAfterUnlocking(stores) }
    return read {
      stores.map { (store: type(of: $0), contents: StoreContents(of: $0)) }
        .sorted { sourceName(of: $0.store) < sourceName(of: $1.store) }
    }
  }

  /// The process-wide dispatcher, even inside `withDispatcher`.
  package static var processWide: Dispatcher { ofProcess }
}
