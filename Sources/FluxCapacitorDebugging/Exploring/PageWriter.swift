import FluxCapacitor
import Foundation

/// An update for a page: some dispatches, and the data to show them.
struct PageUpdate: Encodable, Sendable {
  /// A variable. It is identified by a number, because two variables may have one name.
  struct Variable: Encodable, Sendable {
    let number: Int
    let store: String
    let name: String

    /// The current value, or nil if it follows from the changes.
    let value: String?
    let observers: Int
  }

  /// The title if the page begins with this update, or nil if it continues from the previous one.
  let title: String?

  /// The sequence number of the first remembered dispatch.
  let first: Int

  /// The sequence number of the dispatch before these. The page forgets all dispatches after it.
  let after: Int

  /// The sequence number of the last dispatch in the past, or 0 if there is none.
  let position: Int

  let dispatches: [DispatchRecord]

  /// For each dispatch, the numbers of the variables that it has changed, in the order of its changes.
  let changed: [[Int]]
  let variables: [Variable]

  /// The update as JSON on one line. It contains nothing that ends a script element, or begins a comment in
  /// one.
  var json: Data {
    // Texts and numbers can always be encoded.
    let data = (try? JSONEncoder.ofFiles.encode(self)) ?? Data("{}".utf8)
    // This looks at bytes, because a `Character` may combine a `<` with the scalars before or after it.
    var json = Data(capacity: data.count)
    for byte in data {
      if byte == UInt8(ascii: "<") { json += Data(#"\u003c"#.utf8) } else { json.append(byte) }
    }
    return json
  }
}

/// Writes the updates for one page. All of them have the same name for a type, and the same number for a
/// variable.
struct PageWriter {
  typealias Contents = [(store: any Storable.Type, contents: StoreContents)]

  private struct Place {
    let store: any Storable.Type
    let name: String

    /// The variable, or nil if it no longer exists. Then it is identified by its name.
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
  /// - Parameter contents: The contents of the stores, if the page shows all of their variables, or an empty
  ///   array.
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

  /// Returns whether no update has contained a store of this type.
  func isNew(_ store: any Storable.Type) -> Bool { !names.hasName(for: store) }

  private mutating func variable(_ number: Int, hasChanged: Bool) -> PageUpdate.Variable {
    let place = places[number]
    return PageUpdate.Variable(
      number: number,
      store: names[place.store],
      name: place.name,
      value: hasChanged ? nil : place.variable.map { Description(of: $0.anyValue).text } ?? "",
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
    // A variable takes the number of one that no longer exists. So there are never more numbers than there
    // have been variables at one time.
    if let number = known.first(where: { places[$0].variable == nil }) {
      places[number].variable = variable
      return number
    }
    places.append(Place(store: store, name: name, variable: variable))
    numbers[key, default: []].append(places.count - 1)
    return places.count - 1
  }
}
