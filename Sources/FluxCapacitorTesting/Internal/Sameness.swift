import FluxCapacitor

/// Whether two values are the same: equal, if they are Equatable, or else alike in every part.
func isSame(_ first: Any, _ second: Any) -> Bool {
  if let first = first as? any Equatable { return first.isEqual(to: second) }
  return type(of: first) == type(of: second) && dumped(first) == dumped(second)
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool {
    (other as? Self) == self
  }
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
