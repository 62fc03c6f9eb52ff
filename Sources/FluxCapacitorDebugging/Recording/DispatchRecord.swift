import FluxCapacitor
import Foundation

/// A dispatch as written to a log or to a page, with its values without secrets.
struct DispatchRecord<State: Encodable & Sendable, Change: Encodable & Sendable>:
  Encodable, Sendable
{
  let sequence: Int
  let time: String
  let nanoseconds: Int
  let type: String
  let state: State
  let stores: [String]

  /// The stores that were created and released before the dispatch, or nil if there were none.
  let created: [String]?
  let released: [String]?
  let changes: [Change]
  let file: String
  let line: UInt

  init(
    _ event: DispatchEvent,
    state: State,
    names: inout ShortNames,
    changes: (inout ShortNames) -> [Change]
  ) {
    sequence = event.sequenceNumber
    time = event.timeText
    nanoseconds = event.nanoseconds
    type = names[Swift.type(of: event.state)]
    self.state = state
    stores = event.stores.map { store in names[store] }
    created = event.createdStores.isEmpty ? nil : event.createdStores.map { names[$0] }
    released = event.releasedStores.isEmpty ? nil : event.releasedStores.map { names[$0] }
    self.changes = changes(&names)
    file = "\(event.fileID)"
    line = event.line
  }
}

extension DispatchEvent {
  /// The time at which the reduce began, such as `1985-10-26T01:21:00.000Z`.
  var timeText: String {
    Date(timeIntervalSince1970: wallClockTime / .seconds(1))
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// The duration in nanoseconds.
  var nanoseconds: Int { Int(duration / .nanoseconds(1)) }
}

/// A change of a variable as written to a log.
struct LoggedChange: Encodable, Sendable {
  /// A changed part of a value.
  struct Part: Encodable, Sendable {
    let path: String
    let old: String
    let new: String
  }

  let store: String
  let name: String
  let old: String
  let new: String

  /// The changed parts of the value, or nil if the value has changed as a whole.
  let paths: [Part]?

  /// The number of further parts that have changed or might have, or nil if `paths` is complete.
  let omitted: Int?

  init(_ change: DispatchEvent.Change, in store: String) {
    let difference = ValueDifference(from: change.oldValue, to: change.newValue)
    let changes = difference.changes
    // The difference of a long text has an excerpt that shows the change.
    let whole = changes.count == 1 && changes[0].path.text.isEmpty ? changes[0] : nil
    self.store = store
    name = change.name
    old = whole?.oldText ?? ValueTree(of: change.oldValue).text
    new = whole?.newText ?? ValueTree(of: change.newValue).text
    paths =
      whole != nil || changes.isEmpty
      ? nil : changes.map { .init(path: $0.path.text, old: $0.oldText, new: $0.newText) }
    let others = difference.omitted + difference.uncompared
    omitted = others > 0 ? others : nil
  }
}
