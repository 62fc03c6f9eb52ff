import FluxCapacitor
import FluxCapacitorDebugging

/// Returns a short text for a value, as in source code.
func shown(_ value: Any) -> String {
  ValueTree(of: value, within: TreeBudget(bytes: 500)).text
}

/// Returns a short text for a state, as in source code, with the name of the state's type.
func shownState(_ state: Any) -> String {
  ValueTree(ofState: state, within: TreeBudget(bytes: 500)).text
}

/// Returns the code of a state, which begins with the full name of the state's type.
func code(forState state: any DispatchState) -> String {
  let tree = ValueTree(of: state, within: TreeBudget(bytes: 1_000))
  let name = String(reflecting: type(of: state)).withSourceNames.split(separator: ".").dropFirst()
  let text = tree.text.hasPrefix(".") ? name.joined(separator: ".") + tree.text : tree.text
  return tree.isWhole ? text : "\(text)  // The state is too long to be shown."
}

/// Returns the code of a value, or nil if the code would be too long.
func code(for value: Any) -> String? {
  let tree = ValueTree(of: value, within: TreeBudget(bytes: 1_000))
  return tree.isWhole ? tree.text : nil
}

extension Difference.Event {
  /// The code of a `Change` that expects this event.
  ///
  /// - Parameter isPublished: Whether the property has a key path. A variable that no constant publishes might be
  ///   private.
  func code(isPublished: Bool) -> String {
    let start = isPublished ? "Change(\\.\(name)" : "Change.named(\"\(name)\""
    let whole = FluxCapacitorTesting.code(for: new)
    if let whole, whole.count <= 80 { return "\(start), to: \(whole))" }
    let changes = ValueDifference(from: old, to: new, within: .ofTests).changes.filter {
      !$0.isCount
    }
    let assignments = changes.compactMap(\.assignment)
    if 1...3 ~= changes.count, assignments.count == changes.count {
      let type = isPublished ? "" : ", as: \(type(of: new)).self"
      return "\(start)\(type)) { \(assignments.joined(separator: "; ")) }"
    }
    return "\(start), to: \(whole ?? "…"))" + (whole == nil ? "  // The value is too long." : "")
  }
}

extension ValueDifference.Change {
  /// The code that makes the change in `$0`, or nil if no assignment can make the change.
  fileprivate var assignment: String? {
    guard let code = path.code, !code.isEmpty, path.isOptional || old != nil && new != nil,
      new?.isWhole ?? true
    else { return nil }
    return "$0\(code) = \(newText)"
  }
}
