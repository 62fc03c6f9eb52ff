import Synchronization

extension Storable {
  /// Ensures, inside a reduce, that another store has reduced the same state first.
  ///
  /// By default, stores reduce a state in the order of their registration. Call this method if a store's
  /// reduce reads values that another store's reduce has just written.
  ///
  /// ```swift
  /// final class TotalStore: Storable {
  ///   let total = Variable(0)
  ///   private let counter = CounterStore.instantiate()
  ///
  ///   func reduce(with _: Dispatcher.Counter) {
  ///     waitFor(CounterStore.self)
  ///     total.value += counter.count.value
  ///   }
  /// }
  /// ```
  ///
  /// If a store of that type hasn't reduced the state yet, it does so on this thread, before this method
  /// returns. It reduces the state only this once. The method covers every store of the type and its
  /// subclasses that was registered when the reduce of the state began. If there is no such store, the
  /// method returns immediately.
  ///
  /// The method traps if the reduces of stores wait for each other, or if a store waits for itself. The
  /// message names the stores. The method also traps outside a reduce of this store's states. So a test
  /// must dispatch the state instead of calling `reduce(with:)` itself.
  ///
  /// - Complexity: O(n) in the number of stores that reduce the same type of states.
  public func waitFor<S: Storable>(_: S.Type) where S.DispatchStateType == DispatchStateType {
    let key = ObjectIdentifier(DispatchStateType.self)
    // Only `Dispatcher.reduce` sets `reducing`, and always to a route.
    let route = CurrentThread.current.pointee.reducing.map {
      unsafeDowncast($0.takeUnretainedValue(), to: AnyRoute.self)
    }
    guard let route, route.key == key else {
      trap(
        "\(sourceName(of: Self.self)) waits for \(sourceName(of: S.self)) outside a reduce of a "
          + "\(sourceName(of: DispatchStateType.self)).",
        "Call waitFor only inside reduce(with:), and let the dispatcher call it."
      )
    }
    // The key is the type of the route's states.
    unsafeDowncast(route, to: Route<DispatchStateType>.self).reduceEarly(in: S.self)
  }
}

extension Route {
  /// Makes the stores of a type reduce the current state, unless they already have.
  ///
  /// The dispatcher's turn must be held. A store before the current one in the chain has already reduced
  /// the state. A store after it reduces the state early, and stays marked until the reduce gets to it.
  func reduceEarly<S: Storable>(in _: S.Type) where S.DispatchStateType == State {
    guard let state, let current else { return }
    var next: Unmanaged<Registration<State>>? = current
    while let registration = next?.takeUnretainedValue() {
      next = registration.next
      guard registration.type == S.self || registration.type is S.Type else { continue }
      trapIfReducing(registration)
      guard registration.isOpen, let store = registration.store else { continue }
      registration.marks.unscheduled.bitwiseOr(Registration<State>.early, ordering: .relaxed)
      awaited.append(registration)
      store.reduce(with: state.pointee)
      awaited.removeLast()
      early.append(store)
    }
  }

  /// Traps if the awaited store is itself reducing the state, because then it waits for the current one.
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
  /// All of these reduces ended before the current store's reduce.
  @usableFromInline func takeEarly(into stores: inout [AnyObject]?) {
    if stores == nil { stores = [] }
    stores?.append(contentsOf: early)
    early = []
  }
}

extension Registration {
  /// Clears the mark of a store that has reduced the state early, when the reduce gets to that store.
  @usableFromInline func unmark() {
    marks.unscheduled.bitwiseAnd(~Registration.early, ordering: .relaxed)
  }
}
