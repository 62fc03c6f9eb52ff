import FluxCapacitor

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
