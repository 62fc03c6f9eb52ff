import Synchronization

extension Storable {
  /// Inside a reduce, ensures that all stores of another type have already reduced the current state.
  ///
  /// Call this method if a store's reduce reads values that another store's reduce writes. By default, stores reduce a
  /// state in the order of their registration.
  ///
  /// ```swift
  /// final class TotalStore: Storable {
  ///   var total: Constant<Int> { _total.constant }
  ///   private let _total = Variable(0)
  ///   private let counter = CounterStore.instantiate()
  ///
  ///   func reduce(with _: Dispatcher.Counter) {
  ///     waitFor(CounterStore.self)
  ///     _total.value += counter.count.value
  ///   }
  /// }
  /// ```
  ///
  /// If a store of that type hasn't reduced the state yet, it does so now, on this thread. Each store still reduces a state
  /// only once. The method also covers subclasses of the type, but not stores that were registered after the reduce began.
  /// If no store of the type is registered, the method returns immediately.
  ///
  /// - Precondition: The dispatcher is reducing a state that this store reduces. Otherwise, the method traps. So a test
  ///   must dispatch a state instead of calling `reduce(with:)`.
  /// - Precondition: Stores don't wait for each other in a cycle, and no store waits for itself. Otherwise, the method
  ///   traps with a message that names the stores.
  ///
  /// - Complexity: O(n) in the number of stores that reduce the same type of states.
  public func waitFor<S: Storable>(_: S.Type) where S.DispatchStateType == DispatchStateType {
    let key = ObjectIdentifier(DispatchStateType.self)
    // The downcast is safe, because only `Dispatcher.reduce` sets `reducing`, and always to a route.
    let route = currentThread().pointee.reducing.map {
      unsafeDowncast($0.takeUnretainedValue(), to: AnyRoute.self)
    }
    guard let route, route.key == key else {
      trap(
        "\(sourceName(of: Self.self)) waits for \(sourceName(of: S.self)) outside a reduce of a "
          + "\(sourceName(of: DispatchStateType.self)).",
        "Call waitFor only inside reduce(with:), and let the dispatcher call it."
      )
    }
    // The downcast is safe, because a route's key identifies the type of the route's states.
    unsafeDowncast(route, to: Route<DispatchStateType>.self).reduceEarly(in: S.self)
  }
}

extension Route {
  /// Makes each store of a type reduce the current state, unless the store has already reduced the state.
  ///
  /// The caller must hold the dispatcher's turn. Stores before the current store in the list have already
  /// reduced the state. A later store reduces the state early, and its registration is marked until the reduce
  /// reaches that store.
  func reduceEarly<S: Storable>(in _: S.Type) where S.DispatchStateType == State {
    guard let state, let current else { return }
    let remaining = receivers.registrations.drop {
      $0 !== current.takeUnretainedValue()
    }
    for registration in remaining {
      guard registration.type == S.self || registration.type is S.Type else { continue }
      trapIfReducing(registration)
      guard registration.isToReduce, let store = registration.store else { continue }
      registration.hasReducedEarly = true
      awaited.append(registration)
      store.reduce(with: state.pointee)
      registration.watcher?.note(.reduce)
      awaited.removeLast()
      early.append(store)
    }
  }

  /// Traps if the awaited store is still reducing the state, because the reduces would wait in a cycle.
  private func trapIfReducing(_ registration: Registration<State>) {
    let reducing = [current?.takeUnretainedValue()].compactMap(\.self) + awaited
    guard let start = reducing.firstIndex(where: { $0 === registration }) else { return }
    let cycle = (reducing[start...] + [registration]).map { sourceName(of: $0.type) }
    trap(
      "The reduces of these stores wait for each other: \(cycle.joined(separator: " → ")).",
      "Remove waitFor from one of these reduces, and read the other store's values afterward."
    )
  }

  /// Moves the stores that reduced the state early to a list, in the order in which their reduces ended.
  ///
  /// Every early reduce ended before the current store's reduce.
  @usableFromInline func takeEarly(into stores: inout [any Storable]?) {
    if stores == nil { stores = [] }
    stores? += early as [any Storable]
    early = []
  }
}
