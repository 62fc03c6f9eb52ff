import FluxCapacitor

/// A value that the observer of a variable has received.
struct RecordedChange: Sendable {
  /// The identity of the variable.
  let identity: ObjectIdentifier
  let value: any Sendable
}

/// The values that a store's variables have at the same time.
struct Snapshot {
  private let values: [ObjectIdentifier: any Sendable]
  private let names: [ObjectIdentifier: String]
  private let start: Int

  init(of contents: StoreContents, startingAt start: Int) {
    values = contents.byIdentity(\.value.anyValue)
    names = contents.byIdentity(\.name)
    self.start = start
  }

  /// Returns the changes since the snapshot, with the old and the new values. The result leaves out changes
  /// to an equal value, and changes of variables that the store had neither then nor now.
  ///
  /// - Parameter contents: The present variables of the store. A variable can have changed its name, which
  ///   contains the variable's position in an array.
  func changes(
    in all: [RecordedChange],
    namedBy contents: StoreContents
  ) -> [Difference.Event] {
    var values = values
    let names = names.merging(contents.byIdentity(\.name)) { $1 }
    return all[start...].compactMap { change in
      let old = values[change.identity] ?? change.value
      values[change.identity] = change.value
      guard let name = names[change.identity], !isSame(old, change.value) else { return nil }
      return Difference.Event(
        name: name,
        identity: change.identity,
        isDerived: contents.item(for: change.identity)?.value.isDerived ?? false,
        old: old,
        new: change.value
      )
    }
  }
}

extension StoreContents {
  fileprivate func byIdentity<Value>(_ value: (Item) -> Value) -> [ObjectIdentifier: Value] {
    Dictionary(items.map { ($0.value.identity, value($0)) }) { first, _ in first }
  }
}
