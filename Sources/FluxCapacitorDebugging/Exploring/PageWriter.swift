import FluxCapacitor
import Foundation

/// What the page of a ``FlowExplorer`` shows.
struct Page: Encodable, Sendable {
  /// A variable when the page is made.
  struct Variable: Encodable, Sendable {
    let store: String
    let name: String
    let value: String
    let observers: Int
  }

  let title: String
  let dispatches: [DispatchRecord]
  let variables: [Variable]

  /// For each dispatch, which variables it has changed, in the order of its changes.
  let changed: [[Int]]

  init(
    of events: [DispatchEvent],
    _ contents: [(store: any Storable.Type, contents: StoreContents)],
    title: String
  ) {
    let names = ShortNames(
      of: contents.map(\.store) + events.flatMap { $0.stores + $0.changes.map(\.store) }
        + events.map { type(of: $0.state) }
    )
    var variables: [Variable] = []
    var indices: [Key: Int] = [:]
    for (store, contents) in contents {
      for item in contents.variables {
        indices[Key(store, item.name, item.value)] = variables.count
        variables.append(Variable(names[store], item.name, item.value, orElse: ()))
      }
    }
    changed = events.map { event in
      event.changes.map { change in
        let key = Key(change.store, change.name, change.variable)
        if let index = indices[key] { return index }
        indices[key] = variables.count
        variables.append(
          Variable(names[change.store], change.name, change.variable, orElse: change.newValue)
        )
        return variables.count - 1
      }
    }
    self.title = title
    self.variables = variables
    dispatches = events.map { DispatchRecord($0, names: names) }
  }

  /// With nothing in it that ends a script element, or begins a comment in one.
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

  /// What tells variables apart; those that are gone go by their names.
  private struct Key: Hashable {
    let store: ObjectIdentifier
    let name: String
    let identity: ObjectIdentifier?

    init(_ store: any Storable.Type, _ name: String, _ variable: (any AnyPrimitiveValue)?) {
      self.store = ObjectIdentifier(store)
      self.name = name
      identity = variable?.identity
    }
  }
}

extension Page.Variable {
  fileprivate init(
    _ store: String,
    _ name: String,
    _ variable: (any AnyPrimitiveValue)?,
    orElse value: any Sendable
  ) {
    self.store = store
    self.name = name
    self.value = Description(of: variable?.anyValue ?? value).text
    observers = variable?.observerCount ?? 0
  }
}
