/// A tree of a value for an explorer's page.
struct PageTree: Sendable {
  let tree: ValueTree

  // The budgets are small, because a page can contain 10,000 dispatches.
  static let budgetOfValues = budget(bytes: 2_000)
  static let budgetOfStates = budget(bytes: 1_000)

  private static func budget(bytes: Int) -> TreeBudget {
    var budget = TreeBudget(bytes: bytes)
    budget.breadth = 100
    return budget
  }

  init(_ tree: ValueTree) {
    self.tree = tree
  }
}

extension PageTree: Encodable {
  /// Encodes the tree compactly. The first character of a text is the form of a value without parts, and the
  /// value's text follows. A value with parts is a list of its form, its name and the number of its omitted
  /// parts, followed by the label and the tree of each part.
  func encode(to encoder: any Encoder) throws {
    guard let leaf = tree.form.leaf else {
      var list = encoder.unkeyedContainer()
      try list.encode(tree.form.branch)
      try list.encode(tree.name)
      try list.encode(tree.omitted)
      for part in tree.parts {
        try list.encode(part.label)
        try list.encode(PageTree(part.tree))
      }
      return
    }
    var text = encoder.singleValueContainer()
    try text.encode(leaf + tree.name)
  }
}

extension ValueTree.Form {
  /// The character of a value without parts, or nil for a value with parts.
  fileprivate var leaf: String? {
    switch self {
    case .number: "n"
    case .string: "s"
    case .description: "t"
    case .fields, .elements, .entries: nil
    }
  }

  fileprivate var branch: String {
    switch self {
    case .elements: "e"
    case .entries: "d"
    default: "f"
    }
  }
}
