import FluxCapacitor
import Foundation

/// A dispatch as written to files, with its values as texts without secrets.
struct DispatchRecord: Encodable, Sendable {
  struct Change: Encodable, Sendable {
    let store: String
    let name: String
    let old: String
    let new: String

    /// The changed rows, if the variable is a table or has a list of rows.
    let rows: [Row]?
  }

  /// A change to a row, which is named by the row's id and the changed property.
  struct Row: Encodable, Sendable {
    let name: String
    let old: String
    let new: String
  }

  let sequence: Int
  let time: String
  let nanoseconds: Int
  let type: String
  let state: String
  let stores: [String]
  let changes: [Change]
  let file: String
  let line: UInt

  init(_ event: DispatchEvent, names: inout ShortNames) {
    sequence = event.sequenceNumber
    time = Date(timeIntervalSince1970: event.wallClockTime / .seconds(1))
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    nanoseconds = Int(event.duration / .nanoseconds(1))
    type = names[Swift.type(of: event.state)]
    state = Description(ofState: event.state).text
    stores = event.stores.map { store in names[store] }
    changes = event.changes.map { change in
      let (old, new) = change.texts
      return Change(
        store: names[change.store],
        name: change.name,
        old: old,
        new: new,
        rows: change.rows
      )
    }
    file = "\(event.fileID)"
    line = event.line
  }
}
