import FluxCapacitor

/// Whether two values are the same: equal, if they are Equatable, or else alike in every part.
///
/// Of functions, nothing is known: two of one type count as the same.
func isSame(_ first: Any, _ second: Any) -> Bool {
  if let first = first as? any Equatable { return first.isEqual(to: second) }
  guard type(of: first) == type(of: second) else { return false }
  let (parts, others) = (Mirror(reflecting: first), Mirror(reflecting: second))
  switch parts.displayStyle {
  case .dictionary:
    let (entries, others) = (entries(parts), entries(others))
    return entries.count == others.count
      && entries.allSatisfy { key, value in others[key].map { isSame(value, $0) } ?? false }
  case .struct, .enum, .tuple, .optional,
    .collection where !parts.children.isEmpty:
    return parts.children.count == others.children.count
      && zip(parts.children, others.children).allSatisfy { part, other in
        part.label == other.label && isSame(part.value, other.value)
      }
  default:
    return dumped(first) == dumped(second)
  }
}

/// The entries of a dictionary, which has them in any order.
private func entries(_ mirror: Mirror) -> [AnyHashable: Any] {
  var entries: [AnyHashable: Any] = [:]
  for child in mirror.children {
    let pair = Mirror(reflecting: child.value).children.map(\.value)
    if let key = pair.first as? AnyHashable { entries[key] = pair.last }
  }
  return entries
}

private func dumped(_ value: Any) -> String {
  var text = ""
  dump(value, to: &text)
  return text
}

/// A value as a line of a difference shows it: as in the source, and not longer than a screen.
func shown(_ value: Any) -> String {
  shortened(String(reflecting: value))
}

private func shortened(_ text: String) -> String {
  let text = text.withSourceNames
  return text.count <= 500 ? text : "\(text.prefix(500))…"
}

/// A state as one would write it, with the type that it belongs to.
func shownState(_ state: Any) -> String {
  let type = String(reflecting: type(of: state)).split(separator: ".").last ?? ""
  let text = shortened(String(describing: state))
  return text.hasPrefix("\(type)(") ? text : "\(type).\(text)"
}
