/// The hooks that receive the event of a reduce, and the variables' values before the reduce.
///
/// Only the thread that holds the dispatcher's turn uses the record, and releases the record after the turn.
final class ReduceRecord {
  let hooks: [DispatchHooks.Hook]

  private let number: Int

  /// The functions that return each variable's change during the reduce, by the types of the stores.
  private var changes: [ObjectIdentifier: [() -> DispatchEvent.Change?]] = [:]

  /// The stores and variables that the record has looked at, and the event with its values. The record must not release
  /// them before the turn has ended, and might have the last references.
  private var stores: [AnyObject] = []
  private var event: DispatchEvent?

  private let instant: ContinuousClock.Instant
  private let wallClockTime: Duration

  init<State: DispatchState>(
    of registrations: [Registration<State>],
    numbered number: Int,
    for hooks: [DispatchHooks.Hook]
  ) {
    (self.hooks, self.number) = (hooks, number)
    for registration in registrations {
      let store = registration.type
      for (path, variable) in registration.variables(lookingAt: &stores) {
        let before = variable.snapshot
        changes[ObjectIdentifier(store), default: []].append {
          let after = variable.snapshot
          guard after.version != before.version else { return nil }
          return DispatchEvent.Change(
            store: store,
            path: path,
            oldValue: before.value,
            newValue: after.value,
            variable: variable
          )
        }
      }
    }
    wallClockTime = .sinceBeginningOf1970
    instant = .now
  }

  /// Returns the event of the reduce after the reduce has ended.
  func makeEvent(
    of state: any DispatchState,
    in stores: [any Storable.Type],
    _ storeChanges: [RegisteredStores.Change],
    from location: SourceLocation
  ) -> DispatchEvent {
    let duration = instant.duration(to: .now)
    let event = DispatchEvent(
      state: state,
      sequenceNumber: number,
      stores: stores,
      storeChanges: storeChanges,
      unsortedChanges: stores.map { changes[ObjectIdentifier($0)]?.compactMap { $0() } ?? [] },
      instant: instant,
      wallClockTime: wallClockTime,
      duration: duration,
      fileID: location.fileID,
      line: location.line
    )
    self.event = event
    return event
  }
}

extension Registration {
  /// Returns the variables of the store with their paths.
  ///
  /// The method searches a store only once if the store can't contain other variables later.
  ///
  /// - Parameter stores: A list to which the method adds the store if it searches the store, or else the variables.
  fileprivate func variables(
    lookingAt stores: inout [AnyObject]
  ) -> [(path: VariablePath, value: any AnyPrimitiveValue)] {
    if let known = observerCache as? [WeakVariable] {
      let variables = known.compactMap { known in known.value.map { (known.path, $0) } }
      stores += variables.map { $0.1 }
      if variables.count == known.count { return variables }
    }
    guard let store else { return [] }
    stores.append(store)
    let contents = StoreContents(of: store)
    let variables = contents.unsortedVariables.map { (path: $0.path, value: $0.value) }
    observerCache = contents.isFixed ? variables.map(WeakVariable.init) : nil
    return variables
  }
}

/// A weak reference to a variable of a store, because the cache must not keep the variable alive.
private struct WeakVariable {
  let path: VariablePath
  weak let value: (any AnyPrimitiveValue)?
}
