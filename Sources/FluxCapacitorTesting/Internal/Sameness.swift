import FluxCapacitor

/// Returns whether two `Equatable` values are equal, or whether two other values are alike in every part.
///
/// Swift can't compare functions, so two functions of the same type count as the same value.
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

/// Returns a dictionary's entries by their keys, because a mirror lists the entries in varying order.
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

/// Returns a short text for a value, written as in source code.
func shown(_ value: Any) -> String {
  shortened(String(reflecting: value))
}

private func shortened(_ text: String) -> String {
  let text = text.withSourceNames
  return text.count <= 500 ? text : "\(text.prefix(500))…"
}

/// Returns a short text for a state, written as in source code, with the name of the state's type.
func shownState(_ state: Any) -> String {
  let type = String(reflecting: type(of: state)).split(separator: ".").last ?? ""
  let text = shortened(String(describing: state))
  return text.hasPrefix("\(type)(") ? text : "\(type).\(text)"
}
