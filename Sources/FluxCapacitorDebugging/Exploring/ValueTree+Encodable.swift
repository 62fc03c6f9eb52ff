extension TreeBudget {
  // The budgets are small, because a page can contain 10,000 dispatches.
  static let ofPageValues = TreeBudget(bytes: 2_000, breadth: 100)
  static let ofPageStates = TreeBudget(bytes: 1_000, breadth: 100)
}

extension ValueTree: Encodable {
  /// Encodes the tree compactly, for an explorer's page. The first character of a text is the form of a value without
  /// parts, and the value's text follows. A value with parts is a list of its form, its name and the number of its
  /// omitted parts, followed by the label and the tree of each part.
  package func encode(to encoder: any Encoder) throws {
    switch form {
    case .number: try encode("n" + name, to: encoder)
    case .string: try encode("s" + name, to: encoder)
    case .description: try encode("t" + name, to: encoder)
    case .fields: try encode(parts, as: "f", to: encoder)
    case .elements: try encode(parts, as: "e", to: encoder)
    case .entries: try encode(parts, as: "d", to: encoder)
    }
  }

  private func encode(_ text: String, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  private func encode(_ parts: [Part], as form: String, to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    try list.encode(form)
    try list.encode(name)
    try list.encode(omitted)
    for part in parts {
      try list.encode(part.label)
      try list.encode(part.tree)
    }
  }
}
