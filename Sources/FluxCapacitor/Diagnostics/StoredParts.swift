/// Returns the mirror of a value. In the mirror of a struct, an ``UnreadPart`` stands for each object that the struct doesn't
/// keep.
package func mirror(of value: Any) -> Mirror {
  let own = Mirror(reflecting: value)
  if own.displayStyle != .struct || value is any CustomReflectable { return own }
  return Mirror(value, children: storedParts(of: value, as: type(of: value)), displayStyle: .struct)
}

/// Returns the mirror that Swift makes of a value, whatever the value's own mirror shows.
package func plainMirror(of value: Any) -> Mirror {
  hasOwnMirror(value)
    ? Mirror(value, children: storedParts(of: value, as: type(of: value))) : mirror(of: value)
}

/// Returns whether a value has a mirror that might not show all parts, as those of the standard library do.
package func hasOwnMirror(_ value: Any) -> Bool {
  value is any CustomReflectable && !String(reflecting: type(of: value)).hasPrefix("Swift.")
}

private let systemModules: Set = [
  "Builtin", "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization",
]

/// Whether Swift or Foundation declares a type. A module's name can begin with the name of another module.
package func isOfSystem(_ type: any Any.Type) -> Bool {
  systemModules.contains(String(String(reflecting: type).prefix { $0 != "." }))
}

/// Whether a type is one of the system's whose values contain no value of the user, although they contain objects and enums,
/// as those of `URL` and `Decimal` do.
package func hasPlainParts(_ type: any Any.Type) -> Bool {
  type is any Decodable.Type && isOfSystem(type) && !String(reflecting: type).contains("<")
}

/// Whether a value's type says how to describe the value.
package func hasOwnDescription(_ value: Any) -> Bool {
  value is any CustomDebugStringConvertible || value is any CustomStringConvertible
    || value is any TextOutputStreamable
}

/// A part that can't be read: an object that isn't kept and might not exist anymore, a variable of an object, which another
/// thread might be changing, or content that no mirror shows.
package struct UnreadPart: CustomStringConvertible {
  package let type: any Any.Type
  package var description: String { "\(type)" }

  package init(type: any Any.Type) { self.type = type }
}

/// Returns the parts that a value consists of, whatever its own mirror shows.
///
/// - Parameters:
///   - type: The type of the value, or a superclass, whose properties are the result.
///   - isSettled: Whether no other thread changes an object. Then an ``UnreadPart`` stands only for an `unowned` object,
///     unless the object is an optional.
///   - isReadable: Decides by their types whether the variables of such an object are read.
package func storedParts(
  of value: Any,
  as type: any Any.Type,
  isSettled: Bool = false,
  isReadable: (any Any.Type) -> Bool = { _ in true }
) -> [Mirror.Child] {
  func parts<Value>(_ value: Value) -> [Mirror.Child] {
    let count = runtimePartCount(value, type)
    // The fields of a type begin with the inherited ones. An enum has no fields, but its payload is a part.
    let inherited = runtimeFieldCount(type) - count
    return (0..<count).map { index in
      var field = Field(isStrong: true)
      defer { field.freeName?(field.name) }
      let fieldType =
        inherited < 0 ? nil : runtimeField(type, index: inherited + index, field: &field)
      let isVariable = field.isVariable && type is AnyClass
      let isWeak = fieldType is any ExpressibleByNilLiteral.Type
      if let fieldType,
        isSettled
          ? !field.isStrong && !isWeak || isVariable && !isReadable(fieldType)
          : !field.isStrong || isVariable
      {
        return (field.name.map { String(cString: $0) }, UnreadPart(type: fieldType))
      }
      field.freeName?(field.name)
      let part = runtimePart(value, type, index, name: &field.name, freeName: &field.freeName)
      return (field.name.map { String(cString: $0) }, part)
    }
  }
  return _openExistential(value, do: parts)
}

/// Returns the types of the parts that all values of a type have, or nil if the parts of two values can have different types,
/// as those of enums and objects can. `Void` also stands for a type that can't be copied, whose parts nobody sees.
package func partTypes(of type: any Any.Type) -> [any Any.Type]? {
  switch runtimeKind(type) {
  case _ where type == Void.self: return nil
  case 0x200, 0x301:  // A struct or a tuple.
    return (0..<runtimeFieldCount(type)).map { index in
      var field = Field()
      defer { field.freeName?(field.name) }
      return runtimeField(type, index: index, field: &field)
    }
  case 0x300, 0x302, 0x304, 0x306: return []  // A bit pattern, a function or a type.
  default: return nil
  }
}

/// Returns the type of a sequence's elements, or of the value that an optional wraps.
package func elementType(of type: any Any.Type) -> (any Any.Type)? {
  func element<Elements: Sequence>(of _: Elements.Type) -> any Any.Type { Elements.Element.self }
  return switch type {
  case let optional as any OptionalType.Type: optional.wrapped
  case let sequence as any Sequence.Type: element(of: sequence)
  default: nil
  }
}

/// Whether a type is `Optional`. A user's mirror can look like that of an optional.
package func isOptional(_ type: any Any.Type) -> Bool { type is any OptionalType.Type }

private protocol OptionalType {
  static var wrapped: any Any.Type { get }
}

extension Optional: OptionalType {
  fileprivate static var wrapped: any Any.Type { Wrapped.self }
}

/// Whether a type is an enum, but not `Optional`.
func isEnum(_ type: any Any.Type) -> Bool { runtimeKind(type) == 0x201 }

/// Whether the values of a type can have different types, as those of a protocol or of `Any` can.
func isExistential(_ type: any Any.Type) -> Bool { [0x303, 0x307].contains(runtimeKind(type)) }

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
@_silgen_name("swift_getMetadataKind")
private func runtimeKind(_: any Any.Type) -> UInt

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func runtimeFieldCount(_: any Any.Type) -> Int

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
