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
    case is UnreadPart: self = .described
    case let text as String: self = .string(text)
    case let text as Substring: self = .string(String(text))
    case let data as Data: self = .data(data)
    // A cast also unwraps optionals. A user's number can contain a secret.
    case let number as any Numeric
    where isOfSystem(type(of: number)) || Reflection.search(number, &searches) == .noSecret:
      self = .number("\(number)")
    case let flag as Bool: self = .number("\(flag)")
    default: self.init(of: value, mirror(of: value), &searches)
    }
  }

  private init(of value: Any, _ mirror: Mirror, _ searches: inout Int) {
    let (style, isObject) = (mirror.displayStyle, type(of: value) is AnyClass)
    // The system's objects show elements, such as those of an `NSArray`.
    let isContainer =
      [.optional, .collection, .set, .dictionary, .tuple].contains(style)
      && (!isObject || isOfSystem(type(of: value)))
    let isDescribed = !isContainer && hasOwnDescription(value)
    let isOwn = !isObject && hasOwnMirror(value)
    let search =
      isDescribed && !isObject || isOwn ? Reflection.search(value, &searches) : .noSecret
    // A custom mirror usually has no style. A function and a type have neither a style nor children.
    let isEmpty = mirror.children.isEmpty && (style == nil || hasHiddenContent(value))
    if isDescribed, search == .noSecret {
      self = .described
    } else if isOwn && (search != .noSecret || isEmpty) || isEmpty && hasHiddenContent(value) {
      self = .hidden
    } else if isObject && !isContainer || isEmpty {
      self = .opaque
    } else {
      // A user's mirror can look like that of an optional, which is shown as its content.
      let isForeign = style == .optional && !isOptional(type(of: value))
      self = .composed(mirror, isForeign ? .struct : style ?? .struct)
    }
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
    return isStored || search(row, &searches) == .noSecret ? id : nil
  }

  private static func search(_ value: Any, _ searches: inout Int) -> SecretSearch {
    let limit = min(searches, 1_000)
    var rest = limit
    defer { searches -= limit - rest }
    return SecretSearch.search(value, within: &rest)
  }
}

/// Returns whether no mirror shows the content of a value, such as the storage of an `InlineArray` or a union of C.
package func hasHiddenContent(_ value: Any) -> Bool {
  let name = String(reflecting: type(of: value))
  return ["Builtin.", "<<<"].contains { name.hasPrefix($0) }
    || name.hasPrefix("__C.") && Mirror(reflecting: value).displayStyle == .struct
      && Mirror(reflecting: value).children.isEmpty
}
