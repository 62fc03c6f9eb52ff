import Foundation

/// How a list of things is shown: as a table, as lines for other programs, as JSON.
package struct ListFormat<Item: Sendable>: Sendable {
  let columns: @Sendable (_ now: Date) -> [Table<Item>.Column]

  /// The values of a line for other programs, harmless and without tabs.
  let values: @Sendable (Item) -> [String]
  let fields: [JSONField<Item>]

  func line(for item: Item, hasColors: Bool) -> String {
    var values = values(item)
    values[0] = Style.bold.applied(to: values[0], if: hasColors)
    return values.joined(separator: "\t")
  }

  func json(for items: [Item], fields names: [String], isPretty: Bool) throws -> String {
    return try JSONValue.array(items.objects(fields.named(names))).text(isPretty: isPretty)
  }
}
