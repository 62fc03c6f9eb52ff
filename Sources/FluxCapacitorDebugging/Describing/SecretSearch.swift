import FluxCapacitor

/// The result of a search for secrets in a value.
enum SecretSearch {
  case noSecret

  /// A part that isn't read might be a secret or contain one, such as an object's variable with an enum's type.
  case unreadParts

  case tooManyParts
  case secret

  static func search(_ value: Any) -> SecretSearch {
    var rest = 10_000_000
    return search(value, within: &rest)
  }

  /// Searches a value without recursion, because a value can be deeper than the stack of a thread.
  ///
  /// - Parameter rest: The largest number of parts to search. A mirror inside 1,000 others counts as too many parts, because
  ///   a mirror can contain itself.
  static func search(_ value: Any, within rest: inout Int) -> SecretSearch {
    var parts: [(value: Any, mirrors: Int)] = [(value, 0)]
    var objects = Set<ObjectIdentifier>()
    var types: [ObjectIdentifier: SecretSearch] = [:]
    var result = SecretSearch.noSecret
    while let (part, mirrors) = parts.popLast() {
      if rest == 0 || mirrors > 1_000 { return .tooManyParts }
      rest -= 1
      if part is any Secret { return .secret }
      let unread = part as? UnreadPart
      let type = unread?.type ?? type(of: part)
      let values = types[ObjectIdentifier(type)] ?? search(valuesOf: type)
      types[ObjectIdentifier(type)] = values
      if values == .noSecret { continue }
      if unread != nil || part is Void {
        if values == .secret { return .secret }
        result = values
      } else if let object = type as? AnyClass {
        guard objects.insert(ObjectIdentifier(part as AnyObject)).inserted else { continue }
        for type in sequence(first: object, next: { _getSuperclass($0) }) {
          parts += storedParts(of: part, as: type).map { ($0.value, mirrors) }
        }
      } else {
        let isOwn = hasOwnMirror(part)
        let children = mirror(of: part).children.lazy.map(\.value).prefix(rest + 1)
        parts += children.map { ($0, mirrors + (isOwn ? 1 : 0)) }
        if isOwn { parts += storedParts(of: part, as: type).map { ($0.value, mirrors) } }
      }
    }
    return result
  }

  /// Searches the types of the parts that the values of a type can have.
  private static func search(valuesOf type: any Any.Type) -> SecretSearch {
    func element<Elements: Sequence>(of _: Elements.Type) -> any Any.Type { Elements.Element.self }
    var types = [type]
    var known = Set<ObjectIdentifier>()
    var result = SecretSearch.noSecret
    while let type = types.popLast() {
      let name = String(reflecting: type)
      let isOfSystem = systemModules.contains(String(name.prefix { $0 != "." }))
      switch type {
      case is any Secret.Type: return .secret
      case _ where !known.insert(ObjectIdentifier(type)).inserted: continue
      case let wrapper as any Wrapper.Type: types.append(wrapper.wrapped)
      case let sequence as any Sequence.Type where isOfSystem: types.append(element(of: sequence))
      // Types such as `URL` and `Decimal` have only plain parts, but in objects and enums.
      case is any Decodable.Type where isOfSystem && !name.contains("<"): continue
      case is any CustomReflectable.Type where !isOfSystem: result = .unreadParts
      default: if let parts = partTypes(of: type) { types += parts } else { result = .unreadParts }
      }
    }
    return result
  }
}

private let systemModules: Set = [
  "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization",
]

private protocol Wrapper {
  static var wrapped: any Any.Type { get }
}

extension Optional: Wrapper {
  static var wrapped: any Any.Type { Wrapped.self }
}

extension PrimitiveValue: Wrapper {
  static var wrapped: any Any.Type { Element.self }
}
