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
    return hasSecret(value, inObjects: false, within: &rest)
  }

  /// Returns whether a value is a secret, or contains a secret, also as a constant of an object.
  static func hasSecret(_ value: Any) -> Bool {
    var rest = Int.max
    return hasSecret(value, inObjects: true, within: &rest)
  }

  /// Searches a value without recursion, because a value can be deeper than the stack of a thread.
  ///
  /// - Parameter rest: The largest number of parts to search. If the value has more parts, the result is true.
  private static func hasSecret(_ value: Any, inObjects: Bool, within rest: inout Int) -> Bool {
    var (parts, objects) = ([value], Set<ObjectIdentifier>())
    while let part = parts.popLast() {
      if rest == 0 || part is any Secret { return true }
      rest -= 1
      let mirror = Mirror(reflecting: part)
      if !(type(of: part) is AnyClass) {
        parts += mirror.children.lazy.map(\.value).prefix(rest + 1)
        if hasOwnMirror(part) { parts += storedParts(of: part) }
      } else if inObjects, objects.insert(ObjectIdentifier(part as AnyObject)).inserted,
        hasSecretVariable(part, mirror, addingConstantsTo: &parts)
      {
        return true
      }
    }
    return false
  }

  /// Returns whether an object has a variable with the type of a secret, and adds the object's constants to a list.
  ///
  /// Another thread might be changing a variable of the object. So only the type of a variable is examined.
  private static func hasSecretVariable(
    _ object: Any,
    _ mirror: Mirror,
    addingConstantsTo parts: inout [Any]
  ) -> Bool {
    if object is any CustomReflectable { return false }
    var number = 0
    for mirror in Array(sequence(first: mirror, next: \.superclassMirror)).reversed() {
      for index in mirror.children.indices {
        var field = Field()
        let fieldType = runtimeField(type(of: object), index: number, field: &field)
        field.freeName?(field.name)
        number += 1
        if field.isVariable, fieldType is any Secret.Type { return true }
        // An object that isn't kept might not exist anymore.
        if !field.isVariable, field.isStrong { parts.append(mirror.children[index].value) }
      }
    }
    return false
  }
}

/// Returns whether a value has a mirror that might not show all parts, as those of the standard library do.
package func hasOwnMirror(_ value: Any) -> Bool {
  value is any CustomReflectable && !String(reflecting: type(of: value)).hasPrefix("Swift.")
}

/// Returns whether no mirror shows the content of a value, such as the storage of an `InlineArray`.
package func hasHiddenContent(_ value: Any) -> Bool {
  let name = String(reflecting: type(of: value))
  return ["Builtin.", "<<<"].contains { name.hasPrefix($0) }
}

/// Returns the parts that a struct, an enum or a tuple consists of, whatever its own mirror shows.
private func storedParts(of value: Any) -> [Any] {
  func parts<Value>(_ value: Value) -> [Any] {
    // The static type can be a protocol.
    let type = type(of: value as Any)
    return (0..<runtimePartCount(value, type)).map { index in
      var field = Field()
      defer { field.freeName?(field.name) }
      return runtimePart(value, type, index, name: &field.name, freeName: &field.freeName)
    }
  }
  return _openExistential(value, do: parts)
}

private typealias Name = UnsafePointer<CChar>
private typealias FreeName = @convention(c) (Name?) -> Void

/// The answer of ``runtimeField(_:index:field:)``.
private struct Field {
  var name: Name?
  var freeName: FreeName?
  var isStrong = false
  var isVariable = false
}

// With these functions of Swift's runtime, the standard library lists a type's stored properties and a value's parts.
@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func runtimeField(
  _: any Any.Type,
  index: Int,
  field: UnsafeMutablePointer<Field>
) -> any Any.Type

@_silgen_name("swift_reflectionMirror_count")
private func runtimePartCount<Value>(_: Value, _: any Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_subscript")
private func runtimePart<Value>(
  _: Value,
  _: any Any.Type,
  _ index: Int,
  name: UnsafeMutablePointer<Name?>,
  freeName: UnsafeMutablePointer<FreeName?>
) -> Any
