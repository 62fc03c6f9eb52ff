import FluxCapacitor
import Foundation

/// An update for an explorer's page, with some dispatches and the data to show them.
struct PageUpdate: Encodable, Sendable {
  /// A variable, identified by a number because two variables can have the same name.
  struct Variable: Encodable, Sendable {
    let number: Int
    let store: String
    let name: String

    /// The current value, or nil if the changes in the update contain the value.
    let value: String?
    let observers: Int
  }

  /// The page's title if the page starts with this update, or nil if this update continues the page.
  let title: String?

  /// The sequence number of the first remembered dispatch.
  let first: Int

  /// The sequence number of the dispatch before `dispatches`. The page forgets all dispatches with higher
  /// sequence numbers.
  let after: Int

  /// The sequence number of the last dispatch that is not undone, or 0 if all dispatches are undone.
  let position: Int

  let dispatches: [DispatchRecord]

  /// For each dispatch, the numbers of the variables that the dispatch changed, in the order of the
  /// changes.
  let changed: [[Int]]
  let variables: [Variable]

  /// The update as one line of JSON without the character `<`, so that no value ends the page's script
  /// element.
  var json: Data {
    // Encoding can't fail, because an update contains only texts and numbers.
    let data = (try? JSONEncoder.ofFiles.encode(self)) ?? Data("{}".utf8)
    // The loop compares bytes, because a `Character` can combine `<` with neighboring scalars.
    var json = Data(capacity: data.count)
    for byte in data {
      if byte == UInt8(ascii: "<") { json += Data(#"\u003c"#.utf8) } else { json.append(byte) }
    }
    return json
  }
}

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
  }

  private struct Key: Hashable {
    let store: ObjectIdentifier
    let name: String
  }

  private var names = ShortNames()
  private var places: [Place] = []
  private var numbers: [Key: [Int]] = [:]

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
    for (store, contents) in contents {
      for item in contents.variables { _ = number(of: item.value, named: item.name, in: store) }
    }
    var changed: [[Int]] = []
    var newValues: [Int: any Sendable] = [:]
    for event in events {
      changed.append(
        event.changes.map { change in
          let number = number(of: change.variable, named: change.name, in: change.store)
          newValues[number] = change.newValue
          return number
        }
      )
    }
    let shown = contents.isEmpty ? newValues.keys.sorted() : Array(places.indices)
    return PageUpdate(
      title: title,
      first: first,
      after: after,
      position: position ?? events.last?.sequenceNumber ?? 0,
      dispatches: events.map { DispatchRecord($0, names: &names) },
      changed: changed,
      variables: shown.map { variable($0, hasChanged: newValues[$0] != nil) }
    )
  }

  /// Returns whether no earlier update has named a type of stores.
  func isNew(_ store: any Storable.Type) -> Bool { !names.hasName(for: store) }

  private mutating func variable(_ number: Int, hasChanged: Bool) -> PageUpdate.Variable {
    let place = places[number]
    return PageUpdate.Variable(
      number: number,
      store: names[place.store],
      name: place.name,
      value: hasChanged ? nil : place.variable.map { ValueTree(of: $0.anyValue).text } ?? "",
      observers: place.variable?.observerCount ?? 0
    )
  }

  private mutating func number(
    of variable: (any AnyPrimitiveValue)?,
    named name: String,
    in store: any Storable.Type
  ) -> Int {
    let key = Key(store: ObjectIdentifier(store), name: name)
    let known = numbers[key] ?? []
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
    numbers[key, default: []].append(places.count - 1)
    return places.count - 1
  }
}
