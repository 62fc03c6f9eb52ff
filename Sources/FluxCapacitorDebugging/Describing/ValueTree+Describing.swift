import FluxCapacitor
import Foundation

/// The largest size of a ``ValueTree``.
package struct TreeBudget: Sendable {
  /// The largest number of levels. The limit matters for a custom mirror that contains itself.
  package var depth = 16

  /// The largest number of parts of a single value.
  package var breadth: Int

  /// The approximate number of bytes of all texts in the tree.
  package var bytes: Int

  /// The number of parts that the searches for secrets may examine.
  var searches = 10_000

  package init(bytes: Int = 1_000, breadth: Int = 200) {
    (self.bytes, self.breadth) = (bytes, breadth)
  }
}

extension ValueTree {
  /// The tree that stands for a secret.
  static let secret = ValueTree(.description, "•••")

  /// Creates the tree of a value.
  ///
  /// - Complexity: O(budget), for a value of any size.
  package init(of value: Any, within budget: TreeBudget = TreeBudget()) {
    var builder = TreeBuilder(budget: budget)
    self = builder.tree(of: value, depth: budget.depth)
  }

  /// Creates the tree of a state. The tree's text begins with the name of the state's type.
  package init(ofState state: Any, within budget: TreeBudget = TreeBudget()) {
    let type = "\(type(of: state))"
    let tree = ValueTree(of: state, within: budget)
    let name =
      if tree.name.hasPrefix(".") {
        type + tree.name
      } else if tree.name.hasPrefix(type) {
        tree.name
      } else {
        "\(type): \(tree.name)"
      }
    self.init(tree.form, name, tree.parts, omitted: tree.omitted)
  }

  /// Creates the tree of a string. The tree of a long string has an excerpt that shows the first difference
  /// from another string.
  init(_ text: String, beside other: String? = nil, bytes: Int) {
    if text.utf8.count <= bytes {
      self.init(.string, text)
    } else {
      let excerpt = text.excerpt(of: bytes, beside: other, \.literal)
      self.init(.description, excerpt, omitted: text.utf8.count - bytes)
    }
  }

  /// Creates the tree of a value with a description. The tree of a long description has an excerpt that shows the
  /// first difference from another description.
  init(
    describedBy description: String,
    beside other: String? = nil,
    bytes: Int,
    literal: String? = nil
  ) {
    let text = description.withSourceNames.withoutControls
    let excerpt = text.excerpt(of: bytes, beside: other?.withSourceNames.withoutControls) { $0 }
    let omitted = max(0, text.utf8.count - bytes)
    self.init(.description, excerpt, omitted: omitted, literal: literal)
  }
}

private struct TreeBuilder {
  /// The remaining budget.
  var budget: TreeBudget

  mutating func tree(of value: Any, depth: Int) -> ValueTree {
    let room = max(budget.bytes, 100)
    let tree =
      switch Reflection(value, searches: &budget.searches) {
      case .secret: ValueTree.secret
      case .number(let text): ValueTree(.number, text)
      case .string(let text): ValueTree(text, bytes: room)
      case .data(let data): ValueTree(.description, data.excerpt(), literal: literal(of: data))
      case .described:
        ValueTree(describedBy: String(reflecting: value), bytes: room, literal: literal(of: value))
      case .composed where depth == 0, .hidden where hasHiddenContent(value):
        ValueTree(.description, "…", omitted: 1)
      case .opaque: ValueTree(.description, "\(type(of: value))")
      case .hidden: ValueTree(.description, "\(type(of: value))", omitted: 1)
      case .composed(let mirror, let style):
        composed(value, mirror, style, depth: depth - 1)
      }
    budget.bytes -= tree.name.utf8.count + 2
    return tree
  }

  private mutating func composed(
    _ value: Any,
    _ mirror: Mirror,
    _ style: Mirror.DisplayStyle,
    depth: Int
  ) -> ValueTree {
    switch style {
    case .optional:
      guard let child = mirror.children.first else { return ValueTree(.number, "nil") }
      let tree = tree(of: child.value, depth: depth)
      // An optional optional has two different values without a content.
      return tree == ValueTree(.number, "nil") ? ValueTree(.number, ".some(nil)") : tree
    case .collection:
      return parts(mirror.children, of: mirror, .elements, depth: depth) { builder, child in
        Reflection.id(of: child.value).map(builder.text)
      }
    case .set:
      let members = sorted(mirror.children) { ($0, $0) }
      return parts(members, of: mirror, .elements, depth: depth) { _, _ in nil }
    case .dictionary:
      let entries = sorted(mirror.children) { entry in
        // The children of a custom mirror might not be pairs.
        let pair = Array(tuple(entry)?.children ?? Mirror.Children([]))
        return pair.count == 2 ? (pair[0].value, pair[1].value) : (nil, entry)
      }
      return parts(entries, of: mirror, .entries, depth: depth) { _, entry in entry.label }
    case .enum:
      guard let payload = mirror.children.first else {
        let name = caseName(of: value).map { ".\($0)" } ?? "\(type(of: value))"
        return ValueTree(.description, name)
      }
      let name = ".\(payload.label ?? "")"
      if let fields = tuple(payload.value) {
        return self.fields(of: fields, named: name, depth: depth)
      }
      let part = ValueTree.Part(label: "", tree: tree(of: payload.value, depth: depth))
      return ValueTree(.fields, name, [part])
    case .tuple: return fields(of: mirror, named: "", depth: depth)
    default: return fields(of: mirror, named: "\(type(of: value))", depth: depth)
    }
  }

  /// Returns the mirror of a tuple, or nil for a value with a mirror of its own, which can be a secret.
  private func tuple(_ value: Any) -> Mirror? {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .tuple && !(value is any CustomReflectable) ? mirror : nil
  }

  /// Returns the code that creates a value of Foundation or of the standard library, if the code is short.
  private func literal(of value: Any) -> String? {
    switch value {
    case let date as Date:
      return "Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
    case let url as URL:
      let base = url.baseURL.flatMap(literal).map { ", relativeTo: \($0)" } ?? ""
      return "URL(string: \(url.relativeString.literal)\(base))!"
    case let id as UUID: return "UUID(uuidString: \(id.uuidString.literal))!"
    case let data as Data where data.count <= 60:
      return "Data(base64Encoded: \(data.base64EncodedString().literal))!"
    case let duration as Duration: return "Duration(attoseconds: \(duration.attoseconds))"
    default: return nil
    }
  }

  private mutating func fields(of mirror: Mirror, named name: String, depth: Int) -> ValueTree {
    parts(mirror.children, of: mirror, .fields, named: name, depth: depth) { _, field in
      // The label of a tuple's element without a name is its position, such as `.0`.
      field.label?.hasPrefix(".") == true ? nil : field.label
    }
  }

  /// Returns the tree of as many parts as the budget admits. The tree of a value with parts has at least one.
  private mutating func parts(
    _ children: some Sequence<Mirror.Child>,
    of mirror: Mirror,
    _ form: ValueTree.Form,
    named name: String = "",
    depth: Int,
    label: (TreeBuilder, Mirror.Child) -> String?
  ) -> ValueTree {
    var parts: [ValueTree.Part] = []
    var later = form == .fields ? min(mirror.children.count, budget.breadth) : 0
    for child in children.prefix(budget.breadth) {
      if budget.bytes <= 0, !parts.isEmpty { break }
      // A long field leaves room for a short text of each later field.
      later = max(0, later - 1)
      let reserved = min(later * 60, max(0, budget.bytes / 2))
      budget.bytes -= reserved
      let label = label(self, child) ?? ""
      parts.append(ValueTree.Part(label: label, tree: tree(of: child.value, depth: depth)))
      budget.bytes += reserved - label.utf8.count
    }
    return ValueTree(form, name, parts, omitted: mirror.children.count - parts.count)
  }

  /// Returns the values of a set or a dictionary, labeled with the texts of their keys and sorted by the labels.
  ///
  /// The budget might end before the last value, so the values must be sorted before their trees are created. Of
  /// more values than a tree can have, the result has the first values in the order of the hashes.
  private func sorted(
    _ children: Mirror.Children,
    _ entry: (Any) -> (key: Any?, value: Any)
  ) -> [Mirror.Child] {
    children.prefix(budget.breadth).map { child in
      let (key, value) = entry(child.value)
      return (label: key.map(text) ?? "", value: value)
    }
    .sorted { ($0.label ?? "") < ($1.label ?? "") }
  }

  /// Returns the text of a dictionary's key or of a row's id.
  private func text(of key: Any) -> String {
    var builder = self
    builder.budget.bytes = 100
    return builder.tree(of: key, depth: 4).text
  }
}
