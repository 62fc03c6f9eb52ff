import FluxCapacitor
import Foundation

/// The kind of a value, for a tree or a comparison of values.
enum Reflection {
  case secret
  case number(String)
  case string(String)
  case data(Data)

  /// A value with a description of its own, which contains no secret.
  case described

  /// A value without parts, such as an object or a function. The parts of an object can change at any time.
  case opaque

  /// A value whose parts aren't shown: its own mirror has none, or might show the text of a secret, or no mirror shows them.
  case hidden

  /// A value that consists of visible parts.
  case composed(Mirror, Mirror.DisplayStyle)

  /// - Parameter searches: The number of parts that the searches for secrets may still examine. If the number is
  ///   too small, a value with a description counts as composed, and one with a mirror of its own as hidden.
  init(_ value: Any, searches: inout Int) {
    switch value {
    case is any Secret: self = .secret
    case let text as String: self = .string(text)
    case let text as Substring: self = .string(String(text))
    case let data as Data: self = .data(data)
    // A cast also unwraps optionals.
    case let number as any Numeric: self = .number("\(number)")
    case let flag as Bool: self = .number("\(flag)")
    default: self.init(of: value, mirror(of: value), &searches)
    }
  }

  private init(of value: Any, _ mirror: Mirror, _ searches: inout Int) {
    let (style, isObject) = (mirror.displayStyle, type(of: value) is AnyClass)
    let isContainer = [.optional, .collection, .set, .dictionary, .tuple].contains(style)
    let isDescribed = !isContainer && hasOwnDescription(value)
    let isOwn = !isObject && hasOwnMirror(value) && !Reflection.showsElements(mirror, of: value)
    let mightReveal =
      (isDescribed && !isObject || isOwn) && Reflection.hasSecret(value, searches: &searches)
    // A custom mirror usually has no style. A function and a type have neither a style nor children.
    let isEmpty = mirror.children.isEmpty && (style == nil || hasHiddenContent(value))
    if isDescribed, !mightReveal {
      self = .described
    } else if isOwn && (mightReveal || isEmpty) || isEmpty && hasHiddenContent(value) {
      self = .hidden
    } else if isObject && !isContainer || isEmpty {
      self = .opaque
    } else {
      self = .composed(mirror, style ?? .struct)
    }
  }

  /// Returns whether a mirror shows the elements of a sequence, which are no texts about secrets.
  private static func showsElements(_ mirror: Mirror, of value: Any) -> Bool {
    func isElement<Elements: Sequence>(_: Elements) -> Bool {
      mirror.children.first.map { $0.value is Elements.Element } ?? false
    }
    return (value as? any Sequence).map { isElement($0) } ?? false
  }

  /// Returns the id of a row, or nil if the id might be a text from a secret.
  static func id(of row: Any) -> Any? {
    guard let row = row as? any Identifiable, !(row is any Secret) else { return nil }
    let id: any Hashable = row.id
    // A stored id isn't taken out of a secret.
    let isStored =
      !(type(of: row) is AnyClass)
      && storedParts(of: row, as: type(of: row)).contains {
        $0.value as? AnyHashable == AnyHashable(id)
      }
    var searches = 1_000
    return isStored || !hasSecret(row, searches: &searches) ? id : nil
  }

  private static func hasSecret(_ value: Any, searches: inout Int) -> Bool {
    let limit = min(searches, 1_000)
    var rest = limit
    defer { searches -= limit - rest }
    return hasSecret(value, within: &rest)
  }

  /// Returns whether a value is a secret, or contains a secret, also as a constant of an object.
  static func hasSecret(_ value: Any) -> Bool {
    var rest = 10_000_000
    return hasSecret(value, within: &rest)
  }

  /// Searches a value without recursion, because a value can be deeper than the stack of a thread.
  ///
  /// - Parameter rest: The largest number of parts to search. If the value has more parts, the result is true. It is
  ///   also true for a mirror inside 1,000 others, because a mirror can contain itself.
  private static func hasSecret(_ value: Any, within rest: inout Int) -> Bool {
    var parts: [(value: Any, mirrors: Int)] = [(value, 0)]
    var objects = Set<ObjectIdentifier>()
    while let (part, mirrors) = parts.popLast() {
      if rest == 0 || mirrors > 1_000 || part is any Secret { return true }
      if (part as? UnreadPart)?.type is any Secret.Type { return true }
      rest -= 1
      if !(type(of: part) is AnyClass) {
        let isOwn = hasOwnMirror(part)
        let children = mirror(of: part).children.lazy.map(\.value).prefix(rest + 1)
        parts += children.map { ($0, mirrors + (isOwn ? 1 : 0)) }
        if isOwn { parts += storedParts(of: part, as: type(of: part)).map { ($0.value, mirrors) } }
      } else if !(part is any CustomReflectable),
        objects.insert(ObjectIdentifier(part as AnyObject)).inserted
      {
        for mirror in sequence(first: Mirror(reflecting: part), next: \.superclassMirror) {
          parts += storedParts(of: part, as: mirror.subjectType).map { ($0.value, mirrors) }
        }
      }
    }
    return false
  }
}

/// Returns whether a value has a mirror that might not show all parts, as those of the standard library do.
package func hasOwnMirror(_ value: Any) -> Bool {
  value is any CustomReflectable && !String(reflecting: type(of: value)).hasPrefix("Swift.")
}

/// Returns whether no mirror shows the content of a value, such as the storage of an `InlineArray` or a union of C.
package func hasHiddenContent(_ value: Any) -> Bool {
  let name = String(reflecting: type(of: value))
  return ["Builtin.", "<<<"].contains { name.hasPrefix($0) }
    || name.hasPrefix("__C.") && Mirror(reflecting: value).displayStyle == .struct
      && Mirror(reflecting: value).children.isEmpty
}
