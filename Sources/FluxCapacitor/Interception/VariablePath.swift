/// The way from a store to one of its variables, such as `books["Dune"].pages`, whose text is the variable's name.
///
/// A key's description is code of the user. So the path keeps the key, which is described when no lock is held.
///
/// `@unchecked Sendable` is safe because the keys belong to a store, which is `Sendable`.
struct VariablePath: @unchecked Sendable {
  /// The texts before, between and behind the keys.
  private(set) var texts: [String]
  private(set) var keys: [Any] = []

  init(_ property: String) { texts = [property] }

  /// The name of the variable. A key whose description might show what the description of a part hides is named by its type.
  var text: String {
    texts[0] + zip(keys, texts.dropFirst()).map { "[\(describe($0))]\($1)" }.joined()
  }

  /// The path without an underscore at its beginning, or nil if it has none.
  var withoutUnderscore: VariablePath? {
    guard texts[0].hasPrefix("_") else { return nil }
    var path = self
    path.texts[0].removeFirst()
    return path
  }

  func appending(_ text: String) -> VariablePath {
    var path = self
    path.texts[keys.count] += text
    return path
  }

  func appending(key: Any) -> VariablePath {
    var path = self
    path.keys.append(key)
    path.texts.append("")
    return path
  }
}

extension Array {
  /// Returns the elements with the entries of each dictionary in the order of their keys' descriptions.
  func sortedByKeys(_ path: (Element) -> VariablePath) -> [Element] {
    let paths = map(path)
    if paths.allSatisfy(\.keys.isEmpty) { return self }
    let keys = paths.map { $0.keys.map(describe) }
    let sorted = indices.sorted { first, second in
      for (place, (key, other)) in zip(keys[first], keys[second]).enumerated() {
        guard paths[first].texts[place] == paths[second].texts[place] else { break }
        if key != other { return key < other }
      }
      return first < second
    }
    return sorted.map { self[$0] }
  }
}

private func describe(_ key: Any) -> String {
  // A secret has a mirror without parts.
  if !isOfSystem(type(of: key)), hasOwnMirror(key), Mirror(reflecting: key).children.isEmpty {
    return "•••"
  }
  return mayReveal(key) ? "\(type(of: key))" : "\(key)"
}

/// Whether the text of a key might show what the description of a part hides. The key, or a part of it, can read its parts in
/// a description or a mirror of its own. Objects, functions and some collections have parts that aren't searched.
private func mayReveal(_ key: Any) -> Bool {
  var rest: [(value: Any, isDescribed: Bool)] = [(key, false)]
  while let (value, isDescribed) = rest.popLast() {
    let type = type(of: value)
    if hasPlainParts(type) || isName(value) { continue }
    let isOwn = !isOfSystem(type)
    let hasDescription = isOwn && hasOwnDescription(value)
    if isDescribed && hasDescription || isOwn && hasOwnMirror(value) { return true }
    if type is AnyClass {
      // An object's own description may not show secrets.
      if isDescribed || !isOwn { return true }
      continue
    }
    let mirror = Mirror(reflecting: value)
    // The value is a function, or the storage of a collection such as a dictionary's `values`.
    if mirror.displayStyle == nil && !(value is any CustomReflectable) { return true }
    let isCollection = [.collection, .set, .dictionary].contains(mirror.displayStyle)
    let parts = isCollection ? mirror.children : AnyCollection(storedParts(of: value, as: type))
    rest += parts.map { ($0.value, isDescribed || hasDescription) }
  }
  return false
}

/// Whether a value names a type or a property, and contains no other value.
private func isName(_ value: Any) -> Bool {
  value is any Any.Type || value is ObjectIdentifier || value is AnyKeyPath
}
