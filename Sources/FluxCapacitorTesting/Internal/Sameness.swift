import FluxCapacitor

/// Returns whether two `Equatable` values are equal, or whether two other values are alike in every part.
///
/// A NaN counts as the same value as another NaN, although `==` says otherwise, also inside other values. Swift
/// can't compare functions, so two functions of the same type count as the same value.
func isSame(_ first: Any, _ second: Any) -> Bool {
  if let value = first as? any Equatable {
    return value.isEqual(to: second) || differOnlyInNaNs(first, second)
  }
  guard type(of: first) == type(of: second) else { return false }
  let (parts, others) = (Mirror(reflecting: first), Mirror(reflecting: second))
  switch parts.displayStyle {
  case .dictionary:
    let (entries, others) = (entries(parts), entries(others))
    return entries.count == others.count
      && entries.allSatisfy { key, value in others[key].map { isSame(value, $0) } ?? false }
  case .struct, .enum, .tuple, .optional,
    .collection where !parts.children.isEmpty:
    return haveSameChildren(parts, others)
  default:
    return dumped(first) == dumped(second)
  }
}

/// Returns whether two values differ only in parts that are NaN in both values.
private func differOnlyInNaNs(_ first: Any, _ second: Any) -> Bool {
  var hasNaN = false
  return areAlike(first, second, &hasNaN) && hasNaN
}

/// Returns whether all parts of two values are equal, or NaN in both values. Notes whether a part is NaN.
private func areAlike(_ first: Any, _ second: Any, _ hasNaN: inout Bool) -> Bool {
  guard type(of: first) == type(of: second) else { return false }
  if let number = first as? any FloatingPoint, let other = second as? any FloatingPoint,
    number.isNaN, other.isNaN
  {
    hasNaN = true
    return true
  }
  if let value = first as? any Equatable, value.isEqual(to: second) { return true }
  let (parts, others) = (Mirror(reflecting: first), Mirror(reflecting: second))
  switch parts.displayStyle {
  case .struct, .enum, .tuple, .optional, .collection: break
  default: return false
  }
  guard !parts.children.isEmpty, parts.children.count == others.children.count else { return false }
  for (part, other) in zip(parts.children, others.children) {
    guard part.label == other.label, areAlike(part.value, other.value, &hasNaN) else {
      return false
    }
  }
  return true
}

private func haveSameChildren(_ parts: Mirror, _ others: Mirror) -> Bool {
  parts.children.count == others.children.count
    && zip(parts.children, others.children).allSatisfy { part, other in
      part.label == other.label && isSame(part.value, other.value)
    }
}

/// Returns a dictionary's entries by their keys, because a mirror lists the entries in varying order.
private func entries(_ mirror: Mirror) -> [AnyHashable: Any] {
  var entries: [AnyHashable: Any] = [:]
  for child in mirror.children {
    let pair = Mirror(reflecting: child.value).children.map(\.value)
    if let key = pair.first as? AnyHashable { entries[key] = pair.last }
  }
  return entries
}

private func dumped(_ value: Any) -> String {
  var text = ""
  dump(value, to: &text)
  return text
}
