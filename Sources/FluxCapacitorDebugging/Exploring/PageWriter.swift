import FluxCapacitor
import Foundation

/// Writes the updates for one page. In all updates, each type has one name, and each variable has one
/// number.
struct PageWriter {
  typealias Contents = [(store: any Storable.Type, contents: StoreContents)]

  private struct Place {
    let store: any Storable.Type
    let name: String

    /// The variable, or nil if the variable no longer exists. A variable that no longer exists is
    /// identified by its name.
    weak var variable: (any AnyPrimitiveValue)?

    /// The tree of the last new value that the page has received.
    var latest: ValueTree?
  }

  private var names = ShortNames()
  private var places: [Place] = []
  private var numbers: [ObjectIdentifier: [String: [Int]]] = [:]

  /// The sequence number of the last written dispatch.
  private var last = 0

  /// Writes an update.
  ///
  /// - Parameter contents: The contents of all stores, or an empty array if the page shows only changed
  ///   variables.
  mutating func update(
    title: String? = nil,
    first: Int = 0,
    after: Int = 0,
    position: Int? = nil,
    events: [DispatchEvent],
    contents: Contents
  ) -> PageUpdate {
    // The page forgets undone dispatches and their new values.
    if after < last { for number in places.indices { places[number].latest = nil } }
    for (store, contents) in contents {
      for item in contents.variables { _ = number(of: item.value, named: item.name, in: store) }
    }
    var values: [Int: any Sendable] = [:]
    let dispatches = events.map { event in
      let changes = event.changes.map { change($0, &values) }
      let state = ValueTree(ofState: event.state, within: .ofPageStates)
      return PageUpdate.Dispatch(event, state: state, names: &names) { _ in changes }
    }
    last = events.last?.sequenceNumber ?? after
    let changed = Set(dispatches.flatMap { $0.changes.map(\.number) })
    let shown = contents.isEmpty ? changed.sorted() : Array(places.indices)
    return PageUpdate(
      title: title,
      first: first,
      after: after,
      position: position ?? events.last?.sequenceNumber ?? 0,
      dispatches: dispatches,
      variables: shown.map { variable($0, hasChanged: changed.contains($0)) }
    )
  }

  /// Returns whether no earlier update has named a type of stores.
  func isNew(_ store: any Storable.Type) -> Bool { !names.hasName(for: store) }

  /// - Parameter values: The new values of the changes before this change, by the numbers of their variables. The
  ///   values save the time for the trees of most old values.
  private mutating func change(
    _ change: DispatchEvent.Change,
    _ values: inout [Int: any Sendable]
  ) -> PageUpdate.Change {
    let number = number(of: change.variable, named: change.name, in: change.store)
    let budget = DifferenceBudget(changes: 30, bytes: 300)
    let difference = ValueDifference(from: change.oldValue, to: change.newValue, within: budget)
    let new = ValueTree(of: change.newValue, within: .ofPageValues)
    let latest = places[number].latest
    let old =
      if let value = values[number], areIdentical(value, change.oldValue), let latest {
        latest
      } else {
        ValueTree(of: change.oldValue, within: .ofPageValues)
      }
    values[number] = change.newValue
    places[number].latest = new
    return PageUpdate.Change(
      number: number,
      parts: difference.isOfWholeValues ? nil : difference.changes,
      rest: difference.rest.isEmpty ? nil : difference.rest,
      old: old == latest ? nil : old,
      new: new == old ? nil : new
    )
  }

  private mutating func variable(_ number: Int, hasChanged: Bool) -> PageUpdate.Variable {
    let place = places[number]
    return PageUpdate.Variable(
      number: number,
      store: names[place.store],
      name: place.name,
      value: hasChanged
        ? nil
        : place.variable.map { ValueTree(of: $0.anyValue, within: .ofPageValues) }
          ?? ValueTree(.description, ""),
      observers: place.variable?.observerCount ?? 0
    )
  }

  private mutating func number(
    of variable: (any AnyPrimitiveValue)?,
    named name: String,
    in store: any Storable.Type
  ) -> Int {
    let known = numbers[ObjectIdentifier(store)]?[name] ?? []
    if let number = known.first(where: { places[$0].variable?.identity == variable?.identity }) {
      return number
    }
    // A new variable reuses the number of a deallocated variable with the same name, so the array stays
    // short.
    if let number = known.first(where: { places[$0].variable == nil }) {
      places[number].variable = variable
      return number
    }
    places.append(Place(store: store, name: name, variable: variable))
    numbers[ObjectIdentifier(store), default: [:]][name, default: []].append(places.count - 1)
    return places.count - 1
  }
}

extension ValueDifference {
  /// Whether the only change is the change from one whole value to another. Such a change needs no list of
  /// parts.
  fileprivate var isOfWholeValues: Bool {
    guard changes.count == 1, let change = changes.first, !change.isCount else { return false }
    return change.path.text.isEmpty && change.old?.isWhole == true && change.new?.isWhole == true
  }
}
