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
  if hasOwnMirror(key), Mirror(reflecting: key).children.isEmpty { return "•••" }
  return mayReveal(key) ? "\(type(of: key))" : "\(key)"
}

/// Whether a key, or a part of it, has a description of its own, and contains another value that has one, or an object,
/// which isn't searched, because another thread might be changing it. A value with a mirror of its own hides parts, which its
/// description might show.
private func mayReveal(_ key: Any) -> Bool {
  var rest: [(value: Any, isDescribed: Bool)] = [(key, false)]
  while let (value, isDescribed) = rest.popLast() {
    let type = type(of: value)
    let isOwn = !["Swift.", "Foundation"].contains { String(reflecting: type).hasPrefix($0) }
    let isObject = type is AnyClass
    let hasDescription = isOwn && hasOwnDescription(value)
    if isDescribed && (hasDescription || isOwn && isObject) { return true }
    if hasDescription && hasOwnMirror(value) { return true }
    // An object's own description may not show secrets.
    if isObject { continue }
    let mirror = isOwn ? plainMirror(of: value) : mirror(of: value)
    rest += mirror.children.map { ($0.value, isDescribed || hasDescription) }
  }
  return false
}
