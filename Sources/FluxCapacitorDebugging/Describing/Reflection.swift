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

  /// - Parameter searches: The number of parts that the searches for secrets may still examine. If the number is
  ///   too small, a value with a description counts as composed.
  init(_ value: Any, searches: inout Int) {
    switch value {
    case is any Secret: self = .secret
    case let text as String: self = .string(text)
    case let text as Substring: self = .string(String(text))
    case let data as Data: self = .data(data)
    // A cast also unwraps optionals.
    case let number as any Numeric: self = .number("\(number)")
    case let flag as Bool: self = .number("\(flag)")
    default: self.init(of: value, Mirror(reflecting: value), &searches)
    }
  }

  private init(of value: Any, _ mirror: Mirror, _ searches: inout Int) {
    switch mirror.displayStyle {
    case .optional, .collection, .set, .dictionary, .tuple:
      self = .composed(mirror, mirror.displayStyle ?? .tuple)
    case _ where type(of: value) is AnyClass:
      self = Reflection.isDescribed(value) ? .described : .opaque
    case let style:
      if Reflection.isDescribed(value), !Reflection.hasSecret(value, searches: &searches) {
        self = .described
      } else {
        // A custom mirror usually has no style. A function and a type have neither a style nor children.
        self =
          style == nil && mirror.children.isEmpty ? .opaque : .composed(mirror, style ?? .struct)
      }
    }
  }

  private static func isDescribed(_ value: Any) -> Bool {
    value is any CustomDebugStringConvertible || value is any CustomStringConvertible
      || value is any TextOutputStreamable
  }

  private static func hasSecret(_ value: Any, searches: inout Int) -> Bool {
    let limit = min(searches, 1_000)
    var rest = limit
    defer { searches -= limit - rest }
    return hasSecret(value, within: &rest)
  }

  /// Returns whether a value is a secret, or contains a secret outside of objects.
  static func hasSecret(_ value: Any) -> Bool {
    var rest = Int.max
    return hasSecret(value, within: &rest)
  }

  /// Searches a value without recursion, because a value can be deeper than the stack of a thread.
  ///
  /// - Parameter rest: The largest number of parts to search. If the value has more parts, the result is true.
  private static func hasSecret(_ value: Any, within rest: inout Int) -> Bool {
    var parts = [value]
    while let part = parts.popLast() {
      if rest == 0 || part is any Secret { return true }
      rest -= 1
      let mirror = Mirror(reflecting: part)
      if mirror.displayStyle == .class { continue }
      parts += mirror.children.lazy.map(\.value).prefix(rest + 1)
    }
    return false
  }
}

extension Reflection {
  /// Returns whether an object stores a secret outside of other objects.
  ///
  /// Another thread might be changing a variable of the object. So only the type of a variable is examined.
  static func isStoringSecret(_ object: Any) -> Bool {
    let type = type(of: object)
    guard type is AnyClass, !(object is any CustomReflectable) else { return false }
    let mirrors = sequence(first: Mirror(reflecting: object), next: \.superclassMirror)
    var number = 0
    for children in Array(mirrors).reversed().map(\.children) {
      for index in children.indices {
        var field = Field()
        let fieldType = runtimeField(type, index: number, field: &field)
        field.freeName?(field.name)
        number += 1
        if field.isVariable ? fieldType is any Secret.Type : hasSecret(children[index].value) {
          return true
        }
      }
    }
    return false
  }
}

/// The answer of ``runtimeField(_:index:field:)``.
private struct Field {
  var name: UnsafePointer<CChar>?
  var freeName: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}

/// The function of Swift's runtime with which the standard library lists the stored properties of a type.
@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func runtimeField(
  _: any Any.Type,
  index: Int,
  field: UnsafeMutablePointer<Field>
) -> any Any.Type
