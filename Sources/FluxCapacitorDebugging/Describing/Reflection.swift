import Foundation

/// The kind of a value, for a tree or a comparison of values.
enum Reflection {
  case secret
  case number(String)
  case string(String)
  case data(Data)

  /// A value with a description of its own, which contains no secret.
  case described

  /// A value without a description or visible parts, such as an object.
  case opaque

  /// A value that consists of visible parts.
  case composed(Mirror, Mirror.DisplayStyle)

  init(_ value: Any) {
    switch value {
    case is any Secret: self = .secret
    case let text as String: self = .string(text)
    case let text as Substring: self = .string(String(text))
    case let data as Data: self = .data(data)
    // A cast also unwraps optionals.
    case let number as any Numeric: self = .number("\(number)")
    case let flag as Bool: self = .number("\(flag)")
    default: self.init(of: value, Mirror(reflecting: value))
    }
  }

  private init(of value: Any, _ mirror: Mirror) {
    switch mirror.displayStyle {
    case .optional, .collection, .set, .dictionary, .tuple:
      self = .composed(mirror, mirror.displayStyle ?? .tuple)
    case .struct, .enum:
      let isWritten = Reflection.isDescribed(value) && !Reflection.hasSecret(value, within: 1_000)
      self = isWritten ? .described : .composed(mirror, mirror.displayStyle ?? .struct)
    default: self = Reflection.isDescribed(value) ? .described : .opaque
    }
  }

  private static func isDescribed(_ value: Any) -> Bool {
    value is any CustomDebugStringConvertible || value is any CustomStringConvertible
      || value is any TextOutputStreamable
  }

  /// Returns whether a value is a secret, or contains a secret outside of objects.
  ///
  /// - Parameter limit: The largest number of parts to search. If the value has more parts, the result is true.
  static func hasSecret(_ value: Any, within limit: Int = .max) -> Bool {
    var rest = limit
    return hasSecret(value, within: &rest)
  }

  private static func hasSecret(_ value: Any, within rest: inout Int) -> Bool {
    rest -= 1
    if rest < 0 || value is any Secret { return true }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .class { return false }
    for child in mirror.children where hasSecret(child.value, within: &rest) { return true }
    return false
  }
}
