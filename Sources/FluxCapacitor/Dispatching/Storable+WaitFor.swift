extension Storable {
  /// Makes sure, inside a reduce, that another store has reduced the same state first.
  ///
  /// Without it, stores reduce a state in the order of their registration. Use it in a store whose
  /// reduce reads what another store's reduce has just written.
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
  /// A store of that type that has not reduced the state yet does so now, on this thread, before
  /// this returns; it reduces the state only this once. This applies to every store of the type,
  /// and of its subclasses, that was registered when the reduce of the state began. If there is
  /// none, nothing is waited for.
  ///
  /// Stores whose reduces wait for each other trap, with a message that names them, and so does a
  /// store that waits for itself. Outside a reduce of this store's states it traps too, which
  /// includes a test that calls `reduce` itself instead of dispatching.
  ///
  /// - Complexity: O(n) in the number of stores that reduce the same type of states.
  public func waitFor<S: Storable>(_: S.Type) where S.DispatchStateType == DispatchStateType {
    let key = ObjectIdentifier(DispatchStateType.self)
    guard let route = CurrentThread.current.pointee.reducing?.takeUnretainedValue(),
      route.key == key
    else {
      trap(
        """
        \(sourceName(of: Self.self)) waits for \(sourceName(of: S.self)) outside a reduce of a \
        \(sourceName(of: DispatchStateType.self)). Call waitFor only inside reduce(with:), and have \
        the state dispatched.
        """
      )
    }
    // The key is the type of the route's states.
    unsafeDowncast(route, to: Route<DispatchStateType>.self).reduceEarly(in: S.self)
  }
}
