/// The variables' values before a reduce, for comparison with the values after the reduce.
///
/// Only the thread that holds the dispatcher's turn uses the record, and releases the record after the turn.
final class ReduceRecord {
  /// A variable of a registered store, with the variable's value before the reduce.
  private struct Entry {
    let store: any Storable.Type
    let name: String
    let variable: any AnyPrimitiveValue
    let before: (version: Version, value: any Sendable)

    var change: DispatchEvent.Change? {
      let after = variable.snapshot
      guard after.version != before.version else { return nil }
      return DispatchEvent.Change(
        store: store,
        name: name,
        oldValue: before.value,
        newValue: after.value,
        variable: variable
      )
    }
  }

  private var entries: [Entry] = []

  /// The stores that the record searched for variables, and must not release before the turn has ended.
  private var stores: [AnyObject] = []

  private let instant: ContinuousClock.Instant
  private let wallClockTime: Duration

  init<State: DispatchState>(of registrations: [Registration<State>]) {
    for registration in registrations {
      let store = registration.type
      for (name, variable) in registration.variables(lookingAt: &stores) {
        let before = variable.snapshot
        entries.append(Entry(store: store, name: name, variable: variable, before: before))
      }
    }
    wallClockTime = .sinceBeginningOf1970
    instant = .now
  }

  /// Returns the event of the reduce after the reduce has ended.
  func event(
    of state: any DispatchState,
    numbered number: Int,
    in stores: [any Storable.Type],
    from place: SourcePlace
  ) -> DispatchEvent {
    let duration = instant.duration(to: .now)
    let entries = Dictionary(grouping: entries) { ObjectIdentifier($0.store) }
    return DispatchEvent(
      state: state,
      sequenceNumber: number,
      stores: stores,
      changes: stores.flatMap { entries[ObjectIdentifier($0)] ?? [] }.compactMap(\.change),
      instant: instant,
      wallClockTime: wallClockTime,
      duration: duration,
      fileID: place.fileID,
      line: place.line
    )
  }
}

extension Registration {
  /// Returns the variables of the store with their names.
  ///
  /// The method searches a store only once if the store can't contain other variables later.
  ///
  /// - Parameter stores: A list to which the method adds the store if the method searches the store.
  fileprivate func variables(
    lookingAt stores: inout [AnyObject]
  ) -> [(name: String, value: any AnyPrimitiveValue)] {
    if let known = observerCache as? [WeakVariable] {
      let variables = known.compactMap { known in known.value.map { (known.name, $0) } }
      if variables.count == known.count { return variables }
    }
    guard let store else { return [] }
    stores.append(store)
    let contents = StoreContents(of: store)
    let variables = contents.variables.map { (name: $0.name, value: $0.value) }
    observerCache = contents.isFixed ? variables.map(WeakVariable.init) : nil
    return variables
  }
}

/// A weak reference to a variable of a store, because the cache must not keep the variable alive.
private struct WeakVariable {
  let name: String
  weak let value: (any AnyPrimitiveValue)?
}
