import FluxCapacitor
import Foundation

extension DispatchLogger.Format {
  /// What is written of a dispatch, without the last line break.
  func line(for event: DispatchEvent) -> String {
    switch self {
    case .text: event.headline
    case .textWithChanges: ([event.headline] + event.changes.map(\.line)).joined(separator: "\n")
    case .jsonLines: event.json
    }
  }
}

extension DispatchEvent {
  fileprivate var headline: String {
    let state = Description(ofState: state).text
    let stores = stores.isEmpty ? "no store" : stores.map { "\($0)" }.joined(separator: ", ")
    let duration = duration.formatted(
      .units(allowed: [.microseconds], fractionalPart: .show(length: 1))
    )
    return "\(sequenceNumber) \(state) → \(stores), \(duration), \(fileID):\(line)"
  }

  fileprivate var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let record = Record(
      sequence: sequenceNumber,
      time: Date(timeIntervalSince1970: wallClockTime / .seconds(1))
        .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
      nanoseconds: Int(duration / .nanoseconds(1)),
      type: "\(type(of: state))",
      state: Description(ofState: state).text,
      stores: stores.map { "\($0)" },
      changes: changes.map { change in
        Record.Change(
          store: "\(change.store)",
          name: change.name,
          old: Description(of: change.oldValue).text,
          new: Description(of: change.newValue).text
        )
      },
      file: "\(fileID)",
      line: line
    )
    // Texts and numbers can always be encoded.
    return (try? encoder.encode(record)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private struct Record: Encodable {
    struct Change: Encodable {
      let store: String
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
  }
}

extension DispatchEvent.Change {
  fileprivate var line: String {
    "    \(store).\(name): \(Description(of: oldValue).text) → \(Description(of: newValue).text)"
  }
}
