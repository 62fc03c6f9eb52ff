/// A value as a tree of its parts, for people to read. A tree contains no secrets, and no parts of objects.
///
/// If a value exceeds the budget, the tree has only the value's first parts.
package struct ValueTree: Sendable, Hashable {
  package enum Form: String, Sendable {
    /// A number, a Boolean or nil.
    case number = "n"

    /// A whole string. The name is the string itself.
    case string = "s"

    /// A different value without parts, or a part of a long string. The name is the value's description.
    case description = "t"

    /// A struct, a tuple, or an enum case with a payload. The name is the struct's type or the case.
    case fields = "f"

    /// A list or a set.
    case elements = "e"

    /// A dictionary.
    case entries = "d"
  }

  package struct Part: Sendable, Hashable {
    /// The name of a field, the text of a dictionary's key, or the text of a row's id. The label of a part
    /// without a name is empty.
    package let label: String
    package let tree: ValueTree
  }

  package let form: Form
  package let name: String
  package let parts: [Part]

  /// The number of parts, or of bytes of a text, that exceed the budget.
  package let omitted: Int

  /// The code that creates a value whose description isn't code, if such code is known.
  private let literal: String?

  init(
    _ form: Form,
    _ name: String,
    _ parts: [Part] = [],
    omitted: Int = 0,
    literal: String? = nil
  ) {
    self.literal = literal
    self.form = form
    self.name = name
    self.parts = parts
    self.omitted = omitted
  }

  /// Whether the tree omits nothing.
  package var isWhole: Bool { omitted == 0 && parts.allSatisfy(\.tree.isWhole) }

  /// The source code that creates the value, or nil if no such code is known for a part of it.
  package var code: String? { isCode ? text(\.literal) : nil }

  private var isCode: Bool {
    switch form {
    case .number: Double(name)?.isFinite ?? ["true", "false", "nil", ".some(nil)"].contains(name)
    case .string: true
    case .description: literal != nil || name.wholeMatch(of: /\.\w+/) != nil
    case .fields, .elements, .entries: omitted == 0 && parts.allSatisfy(\.tree.isCode)
    }
  }

  /// The text of the tree, as in source code.
  package var text: String { text { _ in nil } }

  private func text(_ literal: (ValueTree) -> String?) -> String {
    let named = { (part: Part) in part.label.isEmpty ? "" : "\(part.label): " }
    return switch form {
    case .number: name
    case .description: literal(self) ?? name
    case .string: name.literal
    case .fields: "\(name)(\(list(literal, named)))"
    case .elements: "[\(list(literal) { _ in "" })]"
    case .entries: parts.isEmpty && omitted == 0 ? "[:]" : "[\(list(literal, named))]"
    }
  }

  private func list(_ literal: (ValueTree) -> String?, _ prefix: (Part) -> String) -> String {
    var texts = parts.map { prefix($0) + $0.tree.text(literal) }
    if omitted > 0 { texts.append("\(omitted) more …") }
    return texts.joined(separator: ", ")
  }
}
