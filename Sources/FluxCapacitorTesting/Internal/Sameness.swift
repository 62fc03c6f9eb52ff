import FluxCapacitor
import FluxCapacitorDebugging

/// Returns whether two `Equatable` values are equal, or whether two other values are the same in every part.
///
/// A NaN counts as the same value as another NaN, although `==` says otherwise, also as a part of other values, except of
/// `Equatable` objects, and of those that show no parts, such as a `Date`. Swift can't compare functions, so a function is
/// the same only as its copies. A value that hides its parts, such as a `Secret` or an object with a `Mutex`,
/// is never the same as another one, unless it's `Equatable`, and neither are values with too many levels of parts: a test
/// fails rather than passes wrongly.
func isSame(_ first: Any, _ second: Any) -> Bool {
  var parts = PartComparison()
  return parts.isSame(first, second)
}

/// Returns the end of a failure message, which says why no test can compare one of the values, if that's so.
func hintAtHiddenParts(in values: some Sequence<Any>) -> String {
  var parts = PartComparison(looksInto: .allObjects)
  for value in values { _ = parts.isSame(value, value) }
  guard let (type, reason) = parts.refused else { return "" }
  if reason == PartComparison.isFunction {
    return
      "\n\nSwift can't compare functions, so a function of the type \(type) is the same only as its copies. "
      + "Expect a copy, or make the type that contains the function Equatable."
  }
  return
    "\n\n\(type) \(reason) and isn't Equatable, so no test can tell whether two of its values are the same. "
    + "Make \(type) Equatable."
}

/// Returns a value without the box that a mirror leaves around the value of a property with a protocol's type.
private func unboxed(_ value: Any) -> Any {
  // Only a cast to a type that the compiler doesn't know removes the box.
  func cast<Box, Content>(_ box: Box, to _: Content.Type) -> Content? { box as? Content }
  func unboxed<Box>(_ box: Box) -> Any { cast(box, to: Any.self) ?? box }
  return _openExistential(value, do: unboxed)
}

private struct PartComparison {
  enum Reach { case noObjects, differentObjects, allObjects }

  static let isFunction = "is a function"

  /// The objects whose parts are compared.
  var looksInto = Reach.differentObjects

  /// A type that isn't `Equatable`, and why its parts can't be compared, if the comparison has met such a type.
  private(set) var refused: (type: any Any.Type, reason: String)?
  private var hasNaN = false

  /// The number of values that contain the compared ones. A value can be deeper than the stack of a thread.
  private var depth = 0
  private static let mostLevels = 50

  /// The objects whose parts are being compared, because objects can refer to each other.
  private var objects: Set<[ObjectIdentifier]> = []

  init(looksInto reach: Reach = .differentObjects) { looksInto = reach }

  mutating func isSame(_ first: Any, _ second: Any) -> Bool {
    guard let equal = equality(of: first, and: second) else { return haveSameParts(first, second) }
    if equal { return true }
    if let number = first as? any FloatingPoint, let other = second as? any FloatingPoint,
      number.isNaN, other.isNaN, type(of: first) == type(of: second)
    {
      hasNaN = true
      return true
    }
    // Values that differ only in NaNs are the same. The `==` of a value might compare the identities of objects.
    var parts = PartComparison(looksInto: .noObjects)
    parts.depth = depth
    guard parts.haveSameParts(first, second), parts.hasNaN else { return false }
    hasNaN = true
    return true
  }

  private mutating func haveSameParts(_ first: Any, _ second: Any) -> Bool {
    let (first, second) = (unboxed(first), unboxed(second))
    guard type(of: first) == type(of: second) else { return false }
    if let type = first as? any Any.Type, let other = second as? any Any.Type {
      return type == other
    }
    if looksInto != .allObjects, type(of: first) is AnyClass {
      let isOne = first as AnyObject === second as AnyObject
      if isOne || looksInto == .noObjects { return isOne }
    }
    let (mirror, other) = (Mirror(reflecting: first), Mirror(reflecting: second))
    // The casts below would unwrap an optional.
    if isOptional(type(of: first)) { return haveSame(mirror.children, other.children) }
    depth += 1
    defer { depth -= 1 }
    switch mirror.displayStyle {
    case _ where first is any Secret: return refuse(first, "is a Secret")
    case _ where hasOwnMirror(first): return refuse(first, "has a mirror of its own")
    case _ where depth > PartComparison.mostLevels:
      return refuse(first, "has more than \(PartComparison.mostLevels) levels of parts")
    // An imported C union shows no parts.
    case .struct where mirror.children.isEmpty: return areIdentical(first, second)
    case .struct where hasHiddenParts(first, mirror), .class where hasHiddenParts(first, mirror),
      nil where mirror.children.isEmpty && first is any CustomReflectable:
      return refuse(first, "hides parts") || areIdentical(first, second)
    // `KeyValuePairs` have an order.
    case .dictionary where first is any RandomAccessCollection:
      return haveSame(mirror.children, other.children)
    case .set, .dictionary: return haveSameMembers(mirror, other)
    case nil where mirror.children.isEmpty:
      return refuse(first, PartComparison.isFunction) || areIdentical(first, second)
    case .class:
      let pair = [ObjectIdentifier(first as AnyObject), ObjectIdentifier(second as AnyObject)]
      return !objects.insert(pair).inserted
        || haveSame(allParts(of: first, mirror), allParts(of: second, other))
    case .enum where caseName(of: first) != caseName(of: second): return false
    default: return haveSame(parts(of: first, mirror), parts(of: second, other))
    }
  }

  /// Notes why two values of a type can't be compared. Returns false.
  private mutating func refuse(_ value: Any, _ reason: String) -> Bool {
    refused = refused ?? (type(of: value), reason)
    return false
  }

  /// Returns whether a value has no visible parts, such as a buffer, or parts without a content, such as the bytes of an
  /// `InlineArray` or an object's `Mutex`, or members that no mirror shows, such as the bit fields of a C struct, the
  /// elements of a `ManagedBuffer` or an `unowned` object.
  private func hasHiddenParts(_ value: Any, _ mirror: Mirror) -> Bool {
    func size<Value>(of _: Value) -> Int { MemoryLayout<Value>.size }
    let parts = allParts(of: value, mirror)
    let isImported = String(reflecting: type(of: value)).hasPrefix("__C.")
    return parts.isEmpty || isBuffer(mirror)
      || isImported && mirror.displayStyle == .struct
        && parts.reduce(0) { $0 + _openExistential($1.value, do: size) }
          < _openExistential(value, do: size)
      || parts.contains {
        $0.value is Void
          ? mirror.displayStyle == .class
          : $0.value is UnreadPart || hasHiddenContent($0.value)
      }
  }

  /// Returns whether an object is a `ManagedBuffer`, whose mirror shows only the header.
  private func isBuffer(_ mirror: Mirror) -> Bool {
    sequence(first: mirror, next: \.superclassMirror).contains {
      String(reflecting: $0.subjectType).hasPrefix("Swift.ManagedBuffer<")
    }
  }

  /// Returns the parts of a value, also the inherited properties of an object.
  private func allParts(of value: Any, _ mirror: Mirror) -> [Mirror.Child] {
    sequence(first: mirror, next: \.superclassMirror).flatMap { parts(of: value, $0) }
  }

  /// Returns the parts that a mirror shows. An ``UnreadPart`` stands for an `unowned` object, which might not exist anymore.
  private func parts(of value: Any, _ mirror: Mirror) -> [Mirror.Child] {
    let hasFields = mirror.displayStyle == .struct || mirror.displayStyle == .class
    return hasFields && !(value is any CustomReflectable)
      ? storedParts(of: value, as: mirror.subjectType, isSettled: true) : Array(mirror.children)
  }

  private mutating func haveSame(
    _ first: some Collection<Mirror.Child>,
    _ second: some Collection<Mirror.Child>
  ) -> Bool {
    guard first.count == second.count else { return false }
    for (child, other) in zip(first, second) {
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
