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
      if let content = hiddenContent(of: part) {
        parts.append((UnreadPart(type: content), mirrors))
      }
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

  /// Returns the type of the content that no mirror shows, such as the elements of a dictionary's `values`.
  private static func hiddenContent(of value: Any) -> (any Any.Type)? {
    guard let content = content(of: type(of: value)) else { return nil }
    let mirror = mirror(of: value)
    // The elements of a slice or of a lazy sequence are in another sequence, which the mirror shows.
    let isShown =
      [.optional, .collection, .set, .dictionary].contains(mirror.displayStyle)
      || !(value is any Wrapper) && mirror.children.contains { $0.value is any Sequence }
    return isShown ? nil : content
  }

  /// Searches the types of the parts that the values of a type can have.
  private static func search(valuesOf type: any Any.Type) -> SecretSearch {
    var types = [type]
    var known = Set<ObjectIdentifier>()
    var result = SecretSearch.noSecret
    while let type = types.popLast() {
      if type is any Secret.Type { return .secret }
      guard known.insert(ObjectIdentifier(type)).inserted else { continue }
      let isOwn = !isOfSystem(type)
      if let content = content(of: type) {
        types.append(content)
        // The other parts are storage, except for the sequence that a lazy map maps.
        types += (partTypes(of: type) ?? []).filter { $0 is any Sequence.Type || !isOfSystem($0) }
        continue
      }
      if hasPlainParts(type) { continue }
      if !(isOwn && type is any CustomReflectable.Type), let parts = partTypes(of: type) {
        types += parts
      } else {
        result = .unreadParts
      }
    }
    return result
  }
}

/// Returns the type of the elements of a sequence or of an iterator of the system, or of the content of an optional or a
/// ``Wrapper``.
private func content(of type: any Any.Type) -> (any Any.Type)? {
  func next<Elements: IteratorProtocol>(of _: Elements.Type) -> any Any.Type {
    Elements.Element.self
  }
  switch type {
  case let wrapper as any Wrapper.Type: return wrapper.wrapped
  case _ where !isOfSystem(type): return nil
  case let iterator as any IteratorProtocol.Type where !(type is any Sequence.Type):
    return next(of: iterator)
  default: return elementType(of: type)
  }
}

/// A type whose values contain other values, which their mirrors don't show.
private protocol Wrapper {
  static var wrapped: any Any.Type { get }
}

extension PrimitiveValue: Wrapper {
  static var wrapped: any Any.Type { Element.self }
}

extension UnsafePointer: Wrapper {
  static var wrapped: any Any.Type { Pointee.self }
}

extension UnsafeMutablePointer: Wrapper {
  static var wrapped: any Any.Type { Pointee.self }
}

extension ManagedBuffer: Wrapper {
  static var wrapped: any Any.Type { (Header, Element).self }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension InlineArray: Wrapper {
  static var wrapped: any Any.Type { Element.self }
}
