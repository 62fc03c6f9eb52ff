/// The variables and constants of a store, with the names of the store's properties.
///
/// The search also looks inside structs, tuples, enums, optionals, arrays and dictionaries, but not inside
/// other objects. If a constant publishes a variable, the item's `name` is the constant's name, and
/// `otherName` is the variable's name. A computed property `count` can publish a variable `_count`, so the
/// item's name is then also `count`.
package struct StoreContents: Sendable {
  package struct Item: Sendable {
    fileprivate(set) var path: VariablePath
    fileprivate var otherPath: VariablePath?
    package let value: any AnyPrimitiveValue

    package var name: String { path.text }
    package var otherName: String? { otherPath?.text }
  }

  /// The items, with the entries of each dictionary in any order. To sort or to name them runs code of the user.
  private var found: [Item] = []

  /// The items in the order of the store's properties, with the entries of each dictionary in the order of their names.
  package var items: [Item] { found.sortedByKeys(\.path) }

  /// Whether no `let` of the store is or contains an optional, an enum or a collection, and no `var` can contain a variable.
  ///
  /// A fixed store can't contain other variables later.
  package private(set) var isFixed = true

  /// Whether each property of the store is a variable, a constant, a bag, or a struct of these. Other properties
  /// might change while no variable changes.
  package private(set) var isComplete = true

  /// The number of levels that the search looks into, because a property can be deeper than the stack of a thread.
  private static let mostLevels = 100

  private var indices: [ObjectIdentifier: Int] = [:]

  package init(of store: AnyObject) {
    // A mirror of the user's own can hide a variable, and is code that mustn't run during a turn. Another thread might be
    // changing a `var` under a lock of the store, so only those are read that can contain a variable.
    let types = sequence(first: type(of: store) as AnyClass) { _getSuperclass($0) }
    for type in types.reversed() {
      let parts = storedParts(of: store, as: type, isSettled: true) {
        let isRead = canContainVariable($0)
        if isRead { isFixed = false }
        return isRead
      }
      for (label, child) in parts {
        add(child, VariablePath((label ?? "").replacing("$__lazy_storage_$_", with: "")))
      }
    }
    nameAfterComputedProperties()
  }

  /// The variables and the constants that publish a variable, without the derived constants.
  package var variables: [Item] { items.filter { !$0.value.isDerived } }

  /// The same variables in any order, for a thread that holds a lock.
  var unsortedVariables: [Item] { found.filter { !$0.value.isDerived } }

  /// The versions of the variables, each of which changes with every write, or nil if the store's value might
  /// depend on more than these variables.
  package var versions: [ObjectIdentifier: Version]? {
    guard isComplete else { return nil }
    let pairs = unsortedVariables.map { ($0.value.identity, $0.value.snapshot.version) }
    let versions = Dictionary(pairs) { first, _ in first }
    // A constant can derive from a variable of another store.
    let isKnown = found.allSatisfy { $0.value.sources.allSatisfy { versions[$0] != nil } }
    return isKnown && !versions.isEmpty ? versions : nil
  }

  package func item(for identity: ObjectIdentifier) -> Item? {
    indices[identity].map { found[$0] }
  }

  package func item(named name: String) -> Item? {
    found.first { $0.name == name } ?? found.first { $0.otherName == name }
  }

  /// Adds the variables that a value contains.
  ///
  /// - Returns: Whether the value is a variable, contains a variable, or can contain a variable later.
  @discardableResult private mutating func add(
    _ value: Any,
    _ path: VariablePath,
    levels: Int = mostLevels
  ) -> Bool {
    // A cast to a class would convert a dictionary into one of Foundation.
    let object: Any? = type(of: value) is AnyClass ? value : nil
    if let value = object as? any AnyPrimitiveValue {
      add(Item(path: path, value: value))
      return true
    }
    if object is DustBuster || object is Dust { return false }
    if object != nil {
      isComplete = false
      return false
    }
    if levels == 0 {
      (isFixed, isComplete) = (false, false)
      return true
    }
    let (style, parts) = self.parts(of: value)
    // Without its children, a struct might be a value with state, such as a number, or not copyable.
    let isStruct = style == .struct || style == .tuple
    if !isStruct || parts.isEmpty || value is any CustomReflectable { isComplete = false }
    switch style {
    case .struct, .tuple:
      var hasAny = false
      for (label, child) in parts {
        // The loop trims the period, because the label of a tuple's first element is `.0`.
        let path = path.appending(".\((label ?? "").trimmingPrefix("."))")
        if add(child, path, levels: levels - 1) { hasAny = true }
      }
      return hasAny
    case .optional:
      // An optional adds nothing to the name.
      for child in parts { add(child.value, path, levels: levels - 1) }
    case .enum:
      for (label, child) in parts {
        add(child, path.appending(".\(label ?? "")"), levels: levels - 1)
      }
    case .collection, .dictionary:
      // If an element contains no variable, other elements of the same type rarely do.
      lazy var isMixed = areMixed(in: value)
      for (index, child) in parts.enumerated() {
        // The children of a custom mirror might not be pairs.
        let pair =
          style == .dictionary
          ? Mirror(reflecting: child.value).children.map(\.value) : []
        let hasAny =
          pair.count == 2
          ? add(pair[1], path.appending(key: pair[0]), levels: levels - 1)
          : add(child.value, path.appending("[\(index)]"), levels: levels - 1)
        if !hasAny && !isMixed { break }
      }
    default:
      return false
    }
    isFixed = false
    return true
  }

  /// Returns the parts of a value that isn't an object. Only a collection may show its elements by a mirror of its own.
  private func parts(of value: Any) -> (style: Mirror.DisplayStyle?, parts: Mirror.Children) {
    let type = type(of: value)
    func stored() -> Mirror.Children {
      AnyCollection(storedParts(of: value, as: type, isSettled: true))
    }
    if hasOwnMirror(value), !(value is any Sequence) {
      return (partTypes(of: type) == nil ? .enum : .struct, stored())
    }
    let mirror = Mirror(reflecting: value)
    let isPlain = mirror.displayStyle == .struct && !(value is any CustomReflectable)
    return (mirror.displayStyle, isPlain ? stored() : mirror.children)
  }

  /// Removes the underscore from the names of variables, except where another variable or constant has
  /// the name without the underscore.
  private mutating func nameAfterComputedProperties() {
    let names = Set(found.map(\.path.texts))
    for index in found.indices where !found[index].value.isConstant {
      let path = found[index].path
      guard let shorter = path.withoutUnderscore, !names.contains(shorter.texts) else { continue }
      found[index].path = shorter
      found[index].otherPath = found[index].otherPath ?? path
    }
  }

  private mutating func add(_ item: Item) {
    guard let index = indices[item.value.identity] else {
      indices[item.value.identity] = found.count
      return found.append(item)
    }
    let known = found[index]
    if item.value.isConstant, !known.value.isConstant {
      found[index] = item
      found[index].otherPath = known.path
    } else if known.otherPath == nil {
      found[index].otherPath = item.path
    }
  }
}

/// Whether a value can contain a variable. What an enum contains is unknown, unless it has only bits. The value of a
/// protocol's type isn't a variable.
private func canContainVariable(_ type: any Any.Type) -> Bool {
  func hasOnlyBits<Value>(_: Value.Type) -> Bool { _isPOD(Value.self) }
  var (types, seen) = ([type], Set<ObjectIdentifier>())
  while let type = types.popLast() {
    // The characters of a string contain strings.
    guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
    if type is any AnyPrimitiveValue.Type { return true }
    if let element = elementType(of: type) {
      types.append(element)
      // The other parts of the system's collections are storage.
      if isOfSystem(type) { continue }
    }
    if hasPlainParts(type) { continue }
    if isEnum(type), !_openExistential(type, do: hasOnlyBits) { return true }
    types += partTypes(of: type) ?? []
  }
  return false
}

/// Whether the elements of a collection, or their parts, can have different types.
private func areMixed(in collection: Any) -> Bool {
  func isMixed(_ type: any Any.Type) -> Bool {
    isExistential(type) || partTypes(of: type)?.contains(where: isMixed) == true
  }
  return elementType(of: type(of: collection)).map(isMixed) ?? true
}
