import FluxCapacitor

/// Returns whether two values are encoded as the same bytes, except for the order of sets and of dictionaries.
///
/// A `==` might ignore a property, so equal members are compared too.
func areSameInAnyOrder(_ first: Any, _ second: Any, levels: Int = 50) -> Bool {
  guard type(of: first) == type(of: second), levels > 0 else { return false }
  if let value = first as? any Encodable, let other = second as? any Encodable {
    guard let data = try? JSONCoder().encode(value), let otherData = try? JSONCoder().encode(other)
    else { return false }
    if data == otherData { return true }
    // Most values that differ don't have the same bytes in any order.
    if data.count != otherData.count || data.sorted() != otherData.sorted() { return false }
  }
  if let members = first as? any Unordered { return members.hasSameMembers(as: second, levels) }
  if type(of: first) is AnyClass { return false }
  let (parts, others) = (plainMirror(of: first).children, plainMirror(of: second).children)
  return !parts.isEmpty && parts.count == others.count
    && zip(parts, others).allSatisfy { part, other in
      part.label == other.label && areSameInAnyOrder(part.value, other.value, levels: levels - 1)
    }
}

private protocol Unordered {
  func hasSameMembers(as other: Any, _ levels: Int) -> Bool
}

extension Set: Unordered {
  fileprivate func hasSameMembers(as other: Any, _ levels: Int) -> Bool {
    guard let other = other as? Set, count == other.count else { return false }
    return allSatisfy { member in
      other.firstIndex(of: member).map {
        areSameInAnyOrder(member, other[$0], levels: levels - 1)
      } ?? false
    }
  }
}

extension Dictionary: Unordered {
  fileprivate func hasSameMembers(as other: Any, _ levels: Int) -> Bool {
    guard let other = other as? Dictionary, count == other.count else { return false }
    return allSatisfy { key, value in
      other.index(forKey: key).map {
        areSameInAnyOrder(key, other[$0].key, levels: levels - 1)
          && areSameInAnyOrder(value, other[$0].value, levels: levels - 1)
      } ?? false
    }
  }
}
