import FluxCapacitor

/// Returns whether two values are the same: equal if they are `Equatable`, or otherwise alike in
/// every part.
///
/// Functions can't be compared: two functions of one type count as the same.
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

/// Returns the entries of a dictionary by their keys, because the order of its children varies.
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

/// Returns the text of a value for one line of a difference: as in the source, and not longer than
/// a screen.
func shown(_ value: Any) -> String {
  shortened(String(reflecting: value))
}

private func shortened(_ text: String) -> String {
  let text = text.withSourceNames
  return text.count <= 500 ? text : "\(text.prefix(500))…"
}

/// Returns the text of a state as in the source, with the name of its type.
func shownState(_ state: Any) -> String {
  let type = String(reflecting: type(of: state)).split(separator: ".").last ?? ""
  let text = shortened(String(describing: state))
  return text.hasPrefix("\(type)(") ? text : "\(type).\(text)"
}
