extension Equatable {
  /// Whether a value of whatever type is of this one, and equal.
  package func isEqual(to other: Any) -> Bool {
    (other as? Self) == self
  }
}
