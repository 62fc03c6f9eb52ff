import Foundation

/// The formats of a list of items, as a table, as lines for other programs, and as JSON.
package struct ListFormat<Item: Sendable>: Sendable {
  let columns: @Sendable (_ now: Date) -> [Table<Item>.Column]

  /// Returns the sanitized values in an item's line for other programs.
  let values: @Sendable (Item) -> [String]
  let fields: [JSONField<Item>]

  /// Returns the line below a table, or nil for no line.
  var summary: @Sendable ([Item], _ width: Int, _ hasColors: Bool) -> String? = { _, _, _ in nil }

  func line(for item: Item, hasColors: Bool) -> String {
    var values = values(item)
    values[0] = Style.bold.applied(to: values[0], if: hasColors)
    return values.joined(separator: "\t")
  }

  /// Returns the items as a JSON array with the named fields.
  func json(for items: [Item], fields names: [String], isPretty: Bool) throws -> String {
    try JSONValue.array(items.map { object(for: $0, fields: names) }).text(isPretty: isPretty)
  }

  /// Returns one item as a JSON object with the named fields.
  func json(for item: Item, fields names: [String], isPretty: Bool) throws -> String {
    try object(for: item, fields: names).text(isPretty: isPretty)
  }

  private func object(for item: Item, fields names: [String]) -> JSONValue {
    let wanted = fields.filter { names.contains($0.name) }
    return .object(Dictionary(uniqueKeysWithValues: wanted.map { ($0.name, $0.value(item)) }))
  }
}
