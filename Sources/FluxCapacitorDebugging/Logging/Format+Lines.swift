import FluxCapacitor
import Foundation

extension DispatchLogger.Format {
  /// Returns the log lines of a dispatch, without the last line break.
  func line(for event: DispatchEvent) -> String {
    switch self {
    case .text: (event.storeLines + [event.headline]).joinedLines
    case .textWithChanges:
      (event.storeLines + [event.headline] + event.changes.flatMap(\.lines)).joinedLines
    case .jsonLines: event.json
    }
  }
}

extension [String] {
  fileprivate var joinedLines: String { map(\.onOneLine).joined(separator: "\n") }
}

extension DispatchEvent {
  /// A line for each store that was created or released before the dispatch.
  fileprivate var storeLines: [String] {
    releasedStores.map { "− \($0) was released" } + createdStores.map { "+ \($0) was created" }
  }

  fileprivate var headline: String {
    let state = ValueTree(ofState: state).text
    let stores = stores.isEmpty ? "no store" : stores.map { "\($0)" }.joined(separator: ", ")
    let duration = duration.formatted(
      .units(allowed: [.microseconds], fractionalPart: .show(length: 1))
        .locale(Locale(identifier: "en_US"))
    )
    return "\(sequenceNumber) \(state) → \(stores), \(duration), \(fileID):\(line)"
  }

  fileprivate var json: String {
    // Encoding can't fail, because a record contains only texts and numbers. Each line starts with new
    // short names, so a type's name doesn't depend on earlier lines.
    var names = ShortNames()
    let state = ValueTree(ofState: state).text
    let record = DispatchRecord(self, state: state, names: &names) { names in
      changes.map { LoggedChange($0, in: names[$0.store]) }
    }
    let data = try? JSONEncoder.ofFiles.encode(record)
    return data.map { String(decoding: $0, as: UTF8.self).asciiControlsOfJSON } ?? ""
  }
}

extension DispatchEvent.Change {
  /// A line for each changed part of the value.
  fileprivate var lines: [String] {
    let difference = ValueDifference(from: oldValue, to: newValue)
    let name = "    \(store).\(name)"
    let changes = difference.changes.map { "\(name)\($0.path.text): \($0.oldText) → \($0.newText)" }
    let lines = changes + difference.rest.map { "\(name): \($0)" }
    return lines.isEmpty ? ["\(name): \(ValueTree(of: newValue).text), which is equal"] : lines
  }
}
