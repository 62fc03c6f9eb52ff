extension Equatable {
  /// Whether a value of unknown type is of this type, and equal.
  package func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
