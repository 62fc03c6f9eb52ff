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
    if [.number, .string, .description].contains(form) {
      var text = encoder.singleValueContainer()
      return try text.encode(form.rawValue + name)
    }
    var list = encoder.unkeyedContainer()
    try list.encode(form.rawValue)
    try list.encode(name)
    try list.encode(omitted)
    for part in parts {
      try list.encode(part.label)
      try list.encode(part.tree)
    }
  }
}

extension ValueDifference.Change: Encodable {
  private enum Key: CodingKey { case path, places, old, new, isCount }

  /// Encodes the changed part for an explorer's page.
  package func encode(to encoder: any Encoder) throws {
    var part = encoder.container(keyedBy: Key.self)
    try part.encode(path.text, forKey: .path)
    // The places in the path that have positions of elements without ids.
    if !path.places.isEmpty { try part.encode(path.places, forKey: .places) }
    try part.encodeIfPresent(old, forKey: .old)
    try part.encodeIfPresent(new, forKey: .new)
    if isCount { try part.encode(true, forKey: .isCount) }
  }
}
