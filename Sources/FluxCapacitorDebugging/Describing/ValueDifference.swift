/// The parts of a value that have changed, for logs, failing tests and the explorer.
package struct ValueDifference: Sendable {
  package struct Change: Sendable {
    /// The way from the whole value to the part.
    package let path: ValuePath

    /// The part before the change, or nil if the part is new.
    package let old: ValueTree?

    /// The part after the change, or nil if the part has disappeared.
    package let new: ValueTree?

    /// Whether the change is the new count of a collection, whose changed elements follow.
    package var isCount = false

    /// The text of the old part, or `nil` as in source code.
    package var oldText: String { text(of: old) }

    /// The text of the new part, or `nil` as in source code.
    package var newText: String { text(of: new) }

    /// The code of the new part, or nil if no code is known.
    package var newCode: String? { new.map { $0.code == "nil" ? newText : $0.code } ?? "nil" }

    private func text(of tree: ValueTree?) -> String {
      // A dictionary's entry with the value nil differs from a missing entry.
      path.isOptional && tree?.text == "nil" ? ".some(nil)" : tree?.text ?? "nil"
    }
  }

  /// The changed parts. The list is empty if both values are equal.
  package internal(set) var changes: [Change] = []

  /// The number of further changes, which exceed the budget.
  package internal(set) var omitted = 0

  /// The number of further parts whose comparison would exceed the budget.
  package internal(set) var uncompared = 0

  /// The number of parts that are listed, omitted or not compared.
  var count: Int { changes.count + omitted + uncompared }

  /// Phrases about the parts that exceed the budget.
  package var rest: [String] {
    (omitted > 0 ? [omitted == 1 ? "1 more change" : "\(omitted) more changes"] : [])
      + (uncompared > 0
        ? [uncompared == 1 ? "1 part is not compared" : "\(uncompared) parts are not compared"]
        : [])
  }
}

/// The largest size of a ``ValueDifference``.
package struct DifferenceBudget: Sendable {
  /// The largest number of changed parts.
  package var changes: Int

  /// The approximate number of bytes of a single part.
  package var bytes: Int

  /// The largest number of parts that are compared with the help of mirrors. Equatable elements of lists,
  /// dictionaries and sets don't count.
  var comparisons = 5_000

  /// The largest number of levels that are compared with the help of mirrors.
  var depth = 64

  package init(changes: Int = 100, bytes: Int = 1_000) {
    self.changes = changes
    self.bytes = bytes
  }
}

extension ValueDifference {
  /// Compares two values.
  ///
  /// Values with the same bytes are the same. Other values are compared by their own `==`, or part by part.
  ///
  /// - Complexity: O(*d*), plus a fast comparison of each element of a collection. *d* is the number of
  ///   changes, up to the budget.
  package init(from old: Any, to new: Any, within budget: DifferenceBudget = DifferenceBudget()) {
    var comparison = Comparison(budget: budget)
    comparison.compare(old, new, at: ValuePath())
    self = comparison.difference
  }
}
