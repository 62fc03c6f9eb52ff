import FluxCapacitor
import FluxCapacitorDebugging

/// Returns whether two `Equatable` values are equal, or whether two other values are the same in every part.
///
/// A NaN counts as the same value as another NaN, although `==` says otherwise, also inside other values. Swift can't
/// compare functions, so two functions of the same type count as the same value. A value that hides its parts, such as a
/// `Secret` or an object with a `Mutex`, is never the same as another one, unless it's `Equatable`: a test fails rather
/// than passes wrongly.
func isSame(_ first: Any, _ second: Any) -> Bool {
  var parts = PartComparison()
  return parts.isSame(first, second)
}

/// Returns the end of a failure message, which says why no test can compare one of the values, if that's so.
func hintAtHiddenParts(in values: some Sequence<Any>) -> String {
  var parts = PartComparison(looksIntoSameObject: true)
  for value in values { _ = parts.isSame(value, value) }
  guard let type = parts.hiding else { return "" }
  let reason =
    type is any Secret.Type
    ? "is a Secret"
    : type is any CustomReflectable.Type ? "has a mirror of its own" : "hides parts"
  return
    "\n\n\(type) \(reason) and isn't Equatable, so no test can tell whether two of its values are the same. "
    + "Make \(type) Equatable."
}

private struct PartComparison {
  /// Whether even an object is compared with itself.
  var looksIntoSameObject = false

  /// A type that hides its parts and isn't `Equatable`, if the comparison has met one.
  private(set) var hiding: (any Any.Type)?
  private var hasNaN = false

  /// The objects whose parts are being compared, because objects can refer to each other.
  private var objects: Set<[ObjectIdentifier]> = []

  init(looksIntoSameObject: Bool = false) {
    self.looksIntoSameObject = looksIntoSameObject
  }

  mutating func isSame(_ first: Any, _ second: Any) -> Bool {
    if let number = first as? any FloatingPoint, let other = second as? any FloatingPoint,
      number.isNaN, other.isNaN, type(of: number) == type(of: other)
    {
      hasNaN = true
      return true
    }
    guard let value = first as? any Equatable else { return haveSameParts(first, second) }
    if value.isEqual(to: second) { return true }
    // Values that differ only in NaNs are the same.
    var parts = PartComparison()
    guard parts.haveSameParts(first, second), parts.hasNaN else { return false }
    hasNaN = true
    return true
  }

  private mutating func haveSameParts(_ first: Any, _ second: Any) -> Bool {
    guard type(of: first) == type(of: second) else { return false }
    if let type = first as? any Any.Type, let other = second as? any Any.Type {
      return type == other
    }
    if !looksIntoSameObject, type(of: first) is AnyClass, first as AnyObject === second as AnyObject
    {
      return true
    }
    let (mirror, other) = (Mirror(reflecting: first), Mirror(reflecting: second))
    switch mirror.displayStyle {
    case _ where hasOwnMirror(first):
      hiding = hiding ?? type(of: first)
      return false
    // An imported C union shows no parts.
    case .struct where mirror.children.isEmpty: return areIdentical(first, second)
    case .struct where hasHiddenParts(mirror), .class where hasHiddenParts(mirror):
      hiding = hiding ?? type(of: first)
      return areIdentical(first, second)
    case .optional, .collection: return haveSameChildren(mirror, other)
    case .set, .dictionary: return haveSameMembers(mirror, other)
    case .class:
      let pair = [ObjectIdentifier(first as AnyObject), ObjectIdentifier(second as AnyObject)]
      return !objects.insert(pair).inserted || haveSameProperties(mirror, other)
    case .enum:
      return caseName(of: first) == caseName(of: second) && haveSameChildren(mirror, other)
    default: return haveSameChildren(mirror, other)
    }
  }

  /// Returns whether a value has no visible parts, such as a buffer, or parts without a content, such as the bytes of an
  /// `InlineArray` or an object's `Mutex`.
  private func hasHiddenParts(_ mirror: Mirror) -> Bool {
    let parts = sequence(first: mirror, next: \.superclassMirror).flatMap(\.children)
    return parts.isEmpty
      || parts.contains {
        $0.value is Void ? mirror.displayStyle == .class : hasHiddenContent($0.value)
      }
  }

  /// Compares the properties of two objects, also inherited ones.
  private mutating func haveSameProperties(_ first: Mirror, _ second: Mirror) -> Bool {
    guard haveSameChildren(first, second) else { return false }
    guard let first = first.superclassMirror, let second = second.superclassMirror else {
      return true
    }
    return haveSameProperties(first, second)
  }

  private mutating func haveSameChildren(_ first: Mirror, _ second: Mirror) -> Bool {
    guard first.children.count == second.children.count else { return false }
    for (child, other) in zip(first.children, second.children) {
      guard child.label == other.label, isSame(child.value, other.value) else { return false }
    }
    return true
  }

  /// Compares the elements of two sets, or the entries of two dictionaries, which a mirror lists in varying order.
  private mutating func haveSameMembers(_ first: Mirror, _ second: Mirror) -> Bool {
    guard first.children.count == second.children.count else { return false }
    // A NaN isn't equal to itself, but has a hash value.
    func hash(_ member: Any) -> Int? {
      let key = first.displayStyle == .set ? nil : Mirror(reflecting: member).children.first?.value
      return ((key ?? member) as? AnyHashable)?.hashValue
    }
    var others = Dictionary(grouping: second.children.map(\.value), by: hash)
    for (_, member) in first.children {
      let hash = hash(member)
      guard let place = others[hash]?.firstIndex(where: { isSame(member, $0) }) else {
        return false
      }
      others[hash]?.remove(at: place)
    }
    return true
  }
}
