/// The variables' values before a reduce, from which its event's changes are found.
///
/// The record belongs to the thread that has the dispatcher's turn, and is released after the turn.
final class ReduceRecord {
  /// A variable of a store that the state may reach.
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

  /// The stores that were searched for variables. These may be the last references to them.
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

  /// Returns the event of the reduce, which has ended.
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
  /// The store is searched only once if it can't contain other variables later.
  ///
  /// - Parameter stores: A list that retains the store if it is searched.
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
