extension Storable {
  /// Makes sure, inside a reduce, that another store on the same states has reduced this one first.
  ///
  /// Without it, stores reduce a state in the order of their registration. It is for a store whose
  /// reduce reads what another store's has just written.
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
  /// A store of that type that has not reduced the state yet does so now, on this thread, before this
  /// returns; it reduces it just this once. That goes for every store of the type, and of its
  /// subclasses, that was registered when the reduce of the state began. Without any, there is nothing
  /// to wait for.
  ///
  /// Stores whose reduces wait for each other trap and are named, and so does a store that waits for
  /// itself. Outside a reduce of this store's states it traps: so also where a test calls `reduce`
  /// itself in place of dispatching.
  ///
  /// - Complexity: O(n) in the number of stores on the same type of states.
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
