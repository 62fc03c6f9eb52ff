import FluxCapacitor
import FluxCapacitorDebugging

/// A value that the observer of a variable has received.
struct RecordedChange: Sendable {
  /// The identity of the variable.
  let identity: ObjectIdentifier
  let value: any Sendable
}

/// The values that a store's variables have at the same time.
struct Snapshot {
  private let values: [ObjectIdentifier: any Sendable]
  private let versions: [ObjectIdentifier: Version]
  private let names: [ObjectIdentifier: String]
  private let start: Int

  init(of contents: StoreContents, startingAt start: Int) {
    values = contents.byIdentity(\.value.anyValue)
    let variables = contents.variables.map { ($0.value.identity, $0.value.snapshot.version) }
    versions = Dictionary(variables) { first, _ in first }
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

  /// Returns the name of a variable with a change since the snapshot that isn't recorded, because it isn't delivered yet.
  func undelivered(in contents: StoreContents, recorded all: [RecordedChange]) -> String? {
    let latest = values.merging(all[start...].map { ($0.identity, $0.value) }) { $1 }
    let changed = contents.variables.filter { item in
      versions[item.value.identity].map { $0 != item.value.snapshot.version } ?? false
    }
    let other = changed.first { item in
      guard let recorded = latest[item.value.identity] else { return false }
      let value = item.value.snapshot.value
      return !areIdentical(recorded, value) && !isSame(recorded, value)
    }
    // The value might have changed there and back.
    return (other ?? changed.first(where: \.value.hasBacklog))?.name
  }
}

extension StoreContents {
  fileprivate func byIdentity<Value>(_ value: (Item) -> Value) -> [ObjectIdentifier: Value] {
    Dictionary(items.map { ($0.value.identity, value($0)) }) { first, _ in first }
  }
}
