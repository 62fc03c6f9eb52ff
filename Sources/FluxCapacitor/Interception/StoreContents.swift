/// The variables and constants of a store, with the names of the store's properties.
///
/// The search also looks inside structs, tuples, enums, optionals, arrays and dictionaries, but not inside
/// other objects. If a constant publishes a variable, the item's `name` is the constant's name, and
/// `otherName` is the variable's name. A computed property `count` can publish a variable `_count`, so the
/// item's name is then also `count`.
package struct StoreContents: Sendable {
  package struct Item: Sendable {
    package fileprivate(set) var name: String
    package fileprivate(set) var otherName: String?
    package let value: any AnyPrimitiveValue
  }

  package private(set) var items: [Item] = []

  /// Whether no property of the store is or contains an optional, an enum or a collection.
  ///
  /// A fixed store can't contain other variables later.
  package private(set) var isFixed = true

  /// Whether each property of the store is a variable, a constant, a bag, or a struct of these. Other properties
  /// might change while no variable changes.
  package private(set) var isComplete = true

  private var indices: [ObjectIdentifier: Int] = [:]

  package init(of store: Any) {
    // A mirror of the user's own can hide a variable.
    isComplete = !(store is any CustomReflectable)
    let mirrors = sequence(first: Mirror(reflecting: store), next: \.superclassMirror)
    for mirror in mirrors.reversed() {
      for (label, child) in parts(of: store, mirror) {
        add(child, name: (label ?? "").replacing("$__lazy_storage_$_", with: ""))
      }
    }
    nameAfterComputedProperties()
  }

  /// The variables and the constants that publish a variable, without the derived constants.
  package var variables: [Item] { items.filter { !$0.value.isDerived } }

  /// The versions of the variables, each of which changes with every write, or nil if the store's value might
  /// depend on more than these variables.
  package var versions: [ObjectIdentifier: Version]? {
    guard isComplete else { return nil }
    let pairs = variables.map { ($0.value.identity, $0.value.snapshot.version) }
    let versions = Dictionary(pairs) { first, _ in first }
    // A constant can derive from a variable of another store.
    let isKnown = items.allSatisfy { $0.value.sources.allSatisfy { versions[$0] != nil } }
    return isKnown && !versions.isEmpty ? versions : nil
  }

  package func item(for identity: ObjectIdentifier) -> Item? {
    indices[identity].map { items[$0] }
  }

  package func item(named name: String) -> Item? {
    items.first { $0.name == name } ?? items.first { $0.otherName == name }
  }

  /// Adds the variables that a value contains.
  ///
  /// - Returns: Whether the value is a variable, contains a variable, or can contain a variable later.
  @discardableResult private mutating func add(_ value: Any, name: String) -> Bool {
    if let value = value as? any AnyPrimitiveValue {
      add(Item(name: name, value: value))
      return true
    }
    if value is DustBuster || value is Dust { return false }
    let mirror = Mirror(reflecting: value)
    // Without its children, a struct might be a value with state, such as a number, or not copyable.
    let isStruct = mirror.displayStyle == .struct || mirror.displayStyle == .tuple
    if !isStruct || mirror.children.isEmpty || value is any CustomReflectable { isComplete = false }
    switch mirror.displayStyle {
    case .struct, .tuple:
      var hasAny = false
      for (label, child) in parts(of: value, mirror) {
        // The loop trims the period, because the label of a tuple's first element is `.0`.
        if add(child, name: "\(name).\((label ?? "").trimmingPrefix("."))") { hasAny = true }
      }
      return hasAny
    case .optional:
      // An optional adds nothing to the name.
      for child in mirror.children { add(child.value, name: name) }
    case .enum:
      for (label, child) in mirror.children { add(child, name: "\(name).\(label ?? "")") }
    case .collection:
      // If an element contains no variable, other elements of the same type rarely do.
      lazy var isMixed = areMixed(in: value)
      for (index, child) in mirror.children.enumerated()
      where !add(child.value, name: "\(name)[\(index)]") && !isMixed {
        break
      }
    case .dictionary:
      let pairs = mirror.children.lazy.map { Mirror(reflecting: $0.value).children.map(\.value) }
      // If the first value contains no variable, other values of its type rarely do. Then the method skips the sort.
      var trial = self
      if let first = pairs.first, trial.add(first[1], name: "") || areMixed(in: value) {
        let named = pairs.map { (name: "\(name)[\(text(ofKey: $0[0]))]", value: $0[1]) }
        for (name, value) in named.sorted(by: { $0.name < $1.name }) { add(value, name: name) }
      }
    default:
      return false
    }
    isFixed = false
    return true
  }

  /// Removes the underscore from the names of variables, except where another variable or constant has
  /// the name without the underscore.
  private mutating func nameAfterComputedProperties() {
    let names = Set(items.map(\.name))
    for index in items.indices where !items[index].value.isConstant {
      let name = items[index].name
      guard name.hasPrefix("_"), !names.contains(String(name.dropFirst())) else { continue }
      items[index].name.removeFirst()
      items[index].otherName = items[index].otherName ?? name
    }
  }

  private mutating func add(_ item: Item) {
    guard let index = indices[item.value.identity] else {
      indices[item.value.identity] = items.count
      return items.append(item)
    }
    let known = items[index]
    if item.value.isConstant, !known.value.isConstant {
      items[index] = item
      items[index].otherName = known.name
    } else if known.otherName == nil {
      items[index].otherName = item.name
    }
  }
}

/// Returns the parts that a mirror shows. An ``UnreadPart`` stands for an `unowned` object, which might not exist anymore.
package func parts(of value: Any, _ mirror: Mirror) -> [Mirror.Child] {
  let hasFields = mirror.displayStyle == .struct || mirror.displayStyle == .class
  return hasFields && !(value is any CustomReflectable)
    ? storedParts(of: value, as: mirror.subjectType, isSettled: true) : Array(mirror.children)
}

/// Returns a key's description, or only the key's type if the description might show what the description of a part hides.
private func text(ofKey key: Any) -> String {
  mayReveal(key, isDescribed: false) ? "\(type(of: key))" : "\(key)"
}

/// Whether a value has a description of its own, and contains another value that has one, or an object, which isn't
/// searched, because another thread might be changing it.
private func mayReveal(_ value: Any, isDescribed: Bool) -> Bool {
  let isOwn =
    !["Swift.", "Foundation"].contains { String(reflecting: type(of: value)).hasPrefix($0) }
  let isObject = type(of: value) is AnyClass
  let hasDescription = isOwn && hasOwnDescription(value)
  if isDescribed && (hasDescription || isOwn && isObject) { return true }
  // An object's own description may not show secrets.
  return !isObject
    && mirror(of: value).children.contains {
      mayReveal($0.value, isDescribed: isDescribed || hasDescription)
    }
}

/// Whether a value's type says how to describe the value.
package func hasOwnDescription(_ value: Any) -> Bool {
  value is any CustomDebugStringConvertible || value is any CustomStringConvertible
    || value is any TextOutputStreamable
}

/// Whether the elements of an array, or the values of a dictionary, can have different types.
private func areMixed(in collection: Any) -> Bool {
  (collection as? any HasElements).map { Swift.type(of: $0).areMixed } ?? false
}

private protocol HasElements { static var areMixed: Bool { get } }

extension Array: HasElements {
  fileprivate static var areMixed: Bool { isExistential(Element.self) }
}

extension Dictionary: HasElements {
  fileprivate static var areMixed: Bool { isExistential(Value.self) }
}

/// Whether a type is a protocol or `Any`. The name of such a type's own type ends with `Protocol`.
private func isExistential<Value>(_: Value.Type) -> Bool {
  "\(type(of: Value.self))".hasSuffix(".Protocol")
}
