/// Returns whether two values have the same `Equatable` type and are equal.
@usableFromInline package func areEqual(_ first: Any, _ second: Any) -> Bool {
  equality(of: first, and: second) ?? false
}

/// Returns whether two values are equal, or nil if the type of the first one isn't `Equatable`. Values of two types are equal
/// only if they are objects, and the `==` of a class says so.
package func equality(of first: Any, and second: Any) -> Bool? {
  // A cast also wraps, unwraps, converts and bridges values.
  let (type, other) = (type(of: first), type(of: second))
  guard let first = first as? any Equatable, Swift.type(of: first) == type else { return nil }
  func isEqual<Value: Equatable>(_ first: Value) -> Bool { second as? Value == first }
  return (type == other || type is AnyClass && other is AnyClass) && isEqual(first)
}

/// Returns whether two values have the same bytes, or are structs whose properties do, as copies of a value
/// usually do. The values' own `==`, which might ignore a property, isn't used, and neither is a mirror that might hide one.
package func areCopies<Value>(_ first: Value, _ second: Value) -> Bool {
  let haveSameBytes = withUnsafeBytes(of: first) { first in
    withUnsafeBytes(of: second) { first.elementsEqual($0) }
  }
  if haveSameBytes { return true }
  // The padding bytes of a struct can differ between two copies of a value.
  let (mirror, type) = (Mirror(reflecting: first), Mirror(reflecting: second).subjectType)
  guard mirror.displayStyle == .struct, !mirror.children.isEmpty, mirror.subjectType == type,
    !(first is any CustomReflectable)
  else { return false }
  let properties = storedParts(of: first, as: type, isSettled: true)
  let others = storedParts(of: second, as: type, isSettled: true)
  let haveSameProperties = zip(properties, others).allSatisfy { property, other in
    // An `unowned` object might not exist anymore.
    if property.value is UnreadPart { return false }
    func isIdentical<Property>(_ property: Property) -> Bool {
      // No cast is used, because casting the storage of an `InlineArray` traps.
      func isIdentical<Other>(_ other: Other) -> Bool {
        Other.self == Property.self
          && areCopies(property, unsafeBitCast(other, to: Property.self))
      }
      return _openExistential(other.value, do: isIdentical)
    }
    return _openExistential(property.value, do: isIdentical)
  }
  // The mirror of an imported C struct omits bit fields.
  return haveSameProperties && !String(reflecting: type).hasPrefix("__C.")
}
