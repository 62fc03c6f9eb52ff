import FluxCapacitor
import Foundation

/// A comparison of values that are encoded as the same bytes, except for the order of sets and of dictionaries.
struct AnyOrder {
  let coder: any ArchiveCoder

  private enum Result { case same, reordered, different }

  /// Returns whether two values differ at most in the order of sets and dictionaries. A `==` might ignore a property, so
  /// equal members are compared too.
  func areSame(_ first: Any, _ second: Any) -> Bool { compare(first, second, 50) != .different }

  private func compare(_ first: Any, _ second: Any, _ levels: Int) -> Result {
    guard type(of: first) == type(of: second), levels > 0 else { return .different }
    if let value = first as? any Encodable, let other = second as? any Encodable {
      guard let data = try? coder.encode(value), let otherData = try? coder.encode(other) else {
        return .different
      }
      if data == otherData { return .same }
      // Most values that differ don't have the same bytes in any order.
      if data.count != otherData.count || data.sorted() != otherData.sorted() { return .different }
    }
    guard let pairs = pairs(first, second) else { return .different }
    var isExplained = first is any Unordered
    for (part, other) in pairs {
      switch compare(part, other, levels - 1) {
      case .same: continue
      case .reordered: isExplained = true
      case .different: return .different
      }
    }
    // Otherwise, the value encodes something that its parts don't show.
    return isExplained ? .reordered : .different
  }

  /// Returns each part of a value with the same part of another one, or nil if they have different parts.
  private func pairs(_ first: Any, _ second: Any) -> [(Any, Any)]? {
    if let members = first as? any Unordered { return members.pairs(with: second) }
    let (parts, others) = (plainMirror(of: first).children, plainMirror(of: second).children)
    let areAlike = !(type(of: first) is AnyClass) && parts.map(\.label) == others.map(\.label)
    return areAlike ? zip(parts, others).map { ($0.value, $1.value) } : nil
  }
}

private protocol Unordered {
  /// Returns each member with the equal one of another collection, or nil if the other one has different members. A dictionary
  /// has its keys and values as members.
  func pairs(with other: Any) -> [(Any, Any)]?
}

extension Set: Unordered {
  fileprivate func pairs(with other: Any) -> [(Any, Any)]? {
    guard let other = other as? Set else { return nil }
    let pairs = compactMap { member in other.firstIndex(of: member).map { (member, other[$0]) } }
    return pairs.count == other.count && count == other.count ? pairs : nil
  }
}

extension Dictionary: Unordered {
  fileprivate func pairs(with other: Any) -> [(Any, Any)]? {
    guard let other = other as? Dictionary, count == other.count else { return nil }
    var pairs: [(Any, Any)] = []
    for (key, value) in self {
      guard let index = other.index(forKey: key) else { return nil }
      pairs += [(key, other[index].key), (value, other[index].value)]
    }
    return pairs
  }
}
