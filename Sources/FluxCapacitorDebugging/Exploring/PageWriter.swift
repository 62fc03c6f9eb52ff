import FluxCapacitor
import Foundation

/// What a page is told: some dispatches, and what it needs to show them.
struct PageUpdate: Encodable, Sendable {
  /// A variable, by a number: two may have one name.
  struct Variable: Encodable, Sendable {
    let number: Int
    let store: String
    let name: String

    /// Its value now; nil if that follows from the changes.
    let value: String?
    let observers: Int
  }

  /// Nil unless this is the first that the page is told.
  let title: String?

  /// The sequence number of the first dispatch that is remembered.
  let first: Int

  /// That of the dispatch before these; what the page has behind it is forgotten.
  let after: Int

  /// That of the last dispatch of the past; 0 if there is none.
  let position: Int

  let dispatches: [DispatchRecord]

  /// For each dispatch, the numbers of the variables that it has changed, in the order of its changes.
  let changed: [[Int]]
  let variables: [Variable]

  /// With nothing in it that ends a script element, or begins a comment in one; on one line.
  var json: Data {
    // Texts and numbers can always be encoded.
    let data = (try? JSONEncoder.ofFiles.encode(self)) ?? Data("{}".utf8)
    // Bytes, for a character may be more than what begins an element: it has what stands before or
    // behind it, if that combines.
    var json = Data(capacity: data.count)
    for byte in data {
      if byte == UInt8(ascii: "<") { json += Data(#"\u003c"#.utf8) } else { json.append(byte) }
    }
    return json
  }
}

/// Writes what pages are told, so that all it is told has one name for each type, and one number for each
/// variable.
struct PageWriter {
  typealias Contents = [(store: any Storable.Type, contents: StoreContents)]

  private struct Place {
    let store: any Storable.Type
    let name: String

    /// Nil if it is gone. Those that are gone go by their names.
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
  /// - Parameter contents: What is in the stores, if the page is to show all of it.
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

  /// Whether no update has had a store of this type.
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
    // A variable takes the place of one that is gone, so that there are never more than were at one time.
    if let number = known.first(where: { places[$0].variable == nil }) {
      places[number].variable = variable
      return number
    }
    places.append(Place(store: store, name: name, variable: variable))
    numbers[key, default: []].append(places.count - 1)
    return places.count - 1
  }
}
