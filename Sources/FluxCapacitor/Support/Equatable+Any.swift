extension Equatable {
  /// Returns whether a value of an unknown type has this type and is equal.
  package func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
