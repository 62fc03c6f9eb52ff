extension Equatable {
  /// Returns whether a value of any type has this value's type and is equal to this value.
  package func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
