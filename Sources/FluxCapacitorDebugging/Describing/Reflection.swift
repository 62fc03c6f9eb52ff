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
    default: self.init(of: value, mirror(of: value), &searches)
    }
  }

  private init(of value: Any, _ mirror: Mirror, _ searches: inout Int) {
    let (style, isObject) = (mirror.displayStyle, type(of: value) is AnyClass)
    let isContainer =
      switch style {
      case .optional, .collection, .set, .dictionary, .tuple: true
      default: false
      }
    let isDescribed = !isContainer && Reflection.isDescribed(value)
    let isOwn = !isObject && hasOwnMirror(value) && !Reflection.showsElements(mirror, of: value)
    let mightReveal =
      (isDescribed && !isObject || isOwn) && Reflection.hasSecret(value, searches: &searches)
    if isDescribed, !mightReveal {
      self = .described
    } else if isObject && !isContainer || isOwn && mightReveal
      // A custom mirror usually has no style. A function and a type have neither a style nor children.
      || style == nil && mirror.children.isEmpty
    {
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
      && storedParts(of: row).contains { $0.value as? AnyHashable == AnyHashable(id) }
    var searches = 1_000
    return isStored || !hasSecret(row, searches: &searches) ? id : nil
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
    var rest = 10_000_000
    return hasSecret(value, inObjects: true, within: &rest)
  }

  /// Searches a value without recursion, because a value can be deeper than the stack of a thread.
  ///
  /// - Parameter rest: The largest number of parts to search. If the value has more parts, the result is true. It is
  ///   also true for a mirror inside 1,000 others, because a mirror can contain itself.
  private static func hasSecret(_ value: Any, inObjects: Bool, within rest: inout Int) -> Bool {
    var parts: [(value: Any, mirrors: Int)] = [(value, 0)]
    var objects = Set<ObjectIdentifier>()
    while let (part, mirrors) = parts.popLast() {
      if rest == 0 || mirrors > 1_000 || part is any Secret { return true }
      rest -= 1
      if !(type(of: part) is AnyClass) {
        let isOwn = hasOwnMirror(part)
        let children = mirror(of: part).children.lazy.map(\.value).prefix(rest + 1)
        parts += children.map { ($0, mirrors + (isOwn ? 1 : 0)) }
        if isOwn { parts += storedParts(of: part).map { ($0.value, mirrors) } }
      } else if inObjects, objects.insert(ObjectIdentifier(part as AnyObject)).inserted {
        guard let constants = constantsUnlessSecret(of: part) else { return true }
        parts += constants.map { ($0, mirrors) }
      }
    }
    return false
  }

  /// Returns the constants of an object, or nil if a variable of the object has the type of a secret.
  ///
  /// Another thread might be changing a variable of the object. So only the type of a variable is examined.
  private static func constantsUnlessSecret(of object: Any) -> [Any]? {
    if object is any CustomReflectable { return [] }
    let fields = Field.all(of: type(of: object))
    if fields.contains(where: { $0.isVariable && $0.type is any Secret.Type }) { return nil }
    let mirrors = sequence(first: Mirror(reflecting: object), next: \.superclassMirror)
    let places = Array(mirrors).reversed().flatMap { mirror in
      mirror.children.indices.map { (mirror, $0) }
    }
    // An object that isn't kept might not exist anymore.
    return zip(fields, places).filter { $0.0.isStrong && !$0.0.isVariable }
      .map { $0.1.0.children[$0.1.1].value }
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

/// Returns the mirror of a value. The type stands for an object that a struct doesn't keep, because the object might not
/// exist anymore.
func mirror(of value: Any) -> Mirror {
  let mirror = Mirror(reflecting: value)
  guard mirror.displayStyle == .struct, !(value is any CustomReflectable),
    !Field.all(of: type(of: value)).allSatisfy(\.isStrong)
  else { return mirror }
  return Mirror(value, children: storedParts(of: value), displayStyle: .struct)
}

/// Returns the parts that a struct, an enum or a tuple consists of, whatever its own mirror shows.
private func storedParts(of value: Any) -> [Mirror.Child] {
  func parts<Value>(_ value: Value) -> [Mirror.Child] {
    // The static type can be a protocol.
    let type = type(of: value as Any)
    let fields = Field.all(of: type)
    return (0..<runtimePartCount(value, type)).map { index in
      if index < fields.count, !fields[index].isStrong {
        return (fields[index].name, UnkeptObject(description: "\(fields[index].type)"))
      }
      var (name, freeName): (Name?, FreeName?)
      defer { freeName?(name) }
      let part = runtimePart(value, type, index, name: &name, freeName: &freeName)
      return (name.map { String(cString: $0) }, part)
    }
  }
  return _openExistential(value, do: parts)
}

/// Stands for an object that a struct doesn't keep.
private struct UnkeptObject: CustomStringConvertible {
  let description: String
}

private typealias Name = UnsafePointer<CChar>
private typealias FreeName = @convention(c) (Name?) -> Void

/// A stored property of a struct or a class.
private struct Field {
  let name: String?
  let type: any Any.Type
  let isStrong: Bool
  let isVariable: Bool

  /// Returns the stored properties of a type, also the inherited ones. Other types than structs and classes have none.
  static func all(of type: any Any.Type) -> [Field] {
    (0..<runtimeFieldCount(type)).map { index in
      var field = RuntimeField()
      defer { field.freeName?(field.name) }
      let type = runtimeField(type, index: index, field: &field)
      let name = field.name.map { String(cString: $0) }
      return Field(name: name, type: type, isStrong: field.isStrong, isVariable: field.isVariable)
    }
  }
}

/// The answer of ``runtimeField(_:index:field:)``.
private struct RuntimeField {
  var name: Name?
  var freeName: FreeName?
  var isStrong = false
  var isVariable = false
}

// With these functions of Swift's runtime, the standard library lists a type's stored properties and a value's parts.
@_silgen_name("swift_reflectionMirror_recursiveCount")
private func runtimeFieldCount(_: any Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func runtimeField(
  _: any Any.Type,
  index: Int,
  field: UnsafeMutablePointer<RuntimeField>
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
