import FluxCapacitor
import Foundation

/// The largest size of a ``ValueTree``.
package struct TreeBudget: Sendable {
  /// The largest number of levels. The limit matters for a custom mirror that contains itself.
  package var depth = 16

  /// The largest number of parts of a single value.
  package var breadth = 200

  /// The approximate number of bytes of all texts in the tree.
  package var bytes: Int

  /// The number of parts that the searches for secrets may examine.
  var searches = 10_000

  package init(bytes: Int = 1_000) { self.bytes = bytes }
}

extension ValueTree {
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
      let excerpt = text.excerpt(of: bytes, beside: other) { $0.debugDescription }
      self.init(.description, excerpt, omitted: text.utf8.count - bytes)
    }
  }

  /// Creates the tree of a value with a description. The tree of a long description has an excerpt that shows the
  /// first difference from another description.
  init(describedBy description: String, beside other: String? = nil, bytes: Int) {
    let text = description.withSourceNames
    let excerpt = text.excerpt(of: bytes, beside: other?.withSourceNames) { $0 }
    self.init(.description, excerpt, omitted: max(0, text.utf8.count - bytes))
  }
}

private struct TreeBuilder {
  /// The remaining budget.
  var budget: TreeBudget

  mutating func tree(of value: Any, depth: Int) -> ValueTree {
    let room = max(budget.bytes, 100)
    let tree =
      switch Reflection(value, searches: &budget.searches) {
      case .secret: ValueTree(.description, "•••")
      case .number(let text): ValueTree(.number, text)
      case .string(let text): ValueTree(text, bytes: room)
      case .data(let data): ValueTree(.description, data.excerpt())
      case .described: ValueTree(describedBy: String(reflecting: value), bytes: room)
      case .opaque: ValueTree(.description, "\(type(of: value))")
      case .composed where depth == 0: ValueTree(.description, "…", omitted: 1)
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
      return tree(of: child.value, depth: depth)
    case .collection:
      return parts(of: mirror, .elements) { builder, child in
        let id = (child.value as? any Identifiable).map { builder.text(of: $0.id) }
        return ValueTree.Part(label: id ?? "", tree: builder.tree(of: child.value, depth: depth))
      }
    case .set:
      return parts(of: mirror, .elements, sortedBy: { $0.tree.text }) { builder, child in
        ValueTree.Part(label: "", tree: builder.tree(of: child.value, depth: depth))
      }
    case .dictionary:
      return parts(of: mirror, .entries, sortedBy: { $0.label }) { builder, child in
        let entry = Array(Mirror(reflecting: child.value).children)
        // The children of a custom mirror might not be pairs.
        return ValueTree.Part(
          label: entry.count == 2 ? builder.text(of: entry[0].value) : "",
          tree: builder.tree(of: entry.count == 2 ? entry[1].value : child.value, depth: depth)
        )
      }
    case .enum:
      guard let payload = mirror.children.first else { return ValueTree(.description, ".\(value)") }
      let name = ".\(payload.label ?? "")"
      let fields = Mirror(reflecting: payload.value)
      if fields.displayStyle == .tuple { return self.fields(of: fields, named: name, depth: depth) }
      let part = ValueTree.Part(label: "", tree: tree(of: payload.value, depth: depth))
      return ValueTree(.fields, name, [part])
    case .tuple: return fields(of: mirror, named: "", depth: depth)
    default: return fields(of: mirror, named: "\(type(of: value))", depth: depth)
    }
  }

  private mutating func fields(of mirror: Mirror, named name: String, depth: Int) -> ValueTree {
    // A long field leaves room for a short text of each later field.
    var later = mirror.children.count
    return parts(of: mirror, .fields, named: name) { builder, field in
      later -= 1
      let reserved = min(later * 60, max(0, builder.budget.bytes / 2))
      builder.budget.bytes -= reserved
      defer { builder.budget.bytes += reserved }
      // The label of a tuple's element without a name is its position, such as `.0`.
      let label = field.label.map { $0.hasPrefix(".") ? "" : $0 }
      return ValueTree.Part(label: label ?? "", tree: builder.tree(of: field.value, depth: depth))
    }
  }

  /// Returns the tree of as many parts as the budget admits. The tree of a value with parts has at least one.
  private mutating func parts(
    of mirror: Mirror,
    _ form: ValueTree.Form,
    named name: String = "",
    sortedBy key: ((ValueTree.Part) -> String)? = nil,
    _ part: (inout TreeBuilder, Mirror.Child) -> ValueTree.Part
  ) -> ValueTree {
    var parts: [ValueTree.Part] = []
    for child in mirror.children.prefix(budget.breadth) {
      if budget.bytes <= 0, !parts.isEmpty { break }
      parts.append(part(&self, child))
      budget.bytes -= parts.last?.label.utf8.count ?? 0
    }
    let omitted = mirror.children.count - parts.count
    if let key { parts.sort { key($0) < key($1) } }
    return ValueTree(form, name, parts, omitted: omitted)
  }

  /// Returns the text of a dictionary's key or of a row's id.
  private func text(of key: Any) -> String {
    var builder = self
    builder.budget.bytes = 100
    return builder.tree(of: key, depth: 4).text
  }
}
