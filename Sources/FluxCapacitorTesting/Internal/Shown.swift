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

/// Returns a list of code for the end of a failure message.
///
/// - Parameter lines: The lines of the expectation. If no code is known for a value, its line is a comment.
func passingExpectation(_ lines: [String]) -> String {
  let condition =
    lines.contains { $0.hasPrefix("//") } ? " after you replace each comment by code" : ""
  return "This expectation passes\(condition):" + lines.map { "\n  \($0)" }.joined()
}

/// Returns the code of a state, which begins with the full name of the state's type.
func code(forState state: any DispatchState) -> String {
  let tree = ValueTree(of: state, within: TreeBudget(bytes: 1_000))
  let name = String(reflecting: type(of: state)).withSourceNames.split(separator: ".").dropFirst()
    .joined(separator: ".")
  let short = "\(type(of: state))"
  let code = tree.code ?? tree.text
  let text =
    if code.hasPrefix(".") {
      name + code
    } else if tree.form == .fields, tree.name == short {
      name + code.dropFirst(short.count)
    } else {
      code
    }
  return tree.code != nil ? text : "// \(text): \(tree.excuse(for: "state"))"
}

extension ValueTree {
  /// The reason why no code is shown.
  fileprivate func excuse(for subject: String) -> String {
    isWhole
      ? "No code is known for a part of this \(subject)."
      : "The \(subject) is too long to be shown."
  }
}

extension Difference.Event {
  /// The code of a `Change` that expects this event.
  ///
  /// - Parameter isPublished: Whether the property has a key path. A variable that no constant publishes might be
  ///   private.
  func code(isPublished: Bool) -> String {
    let start = isPublished ? "Change(\\.\(name)" : "Change.named(\(name.literal)"
    let type = isPublished ? "" : ", as: \(type(of: new)).self"
    let tree = ValueTree(of: new, within: TreeBudget(bytes: 1_000))
    let whole = tree.code.map { code in
      isPublished || hasLiteral
        ? "\(start), to: \(code))" : "\(start)\(type)) { $0 = \(code) }"
    }
    if let whole, tree.text.count <= 80 { return whole }
    let difference = ValueDifference(from: old, to: new, within: .ofTests)
    let changes = difference.changes.filter { !$0.isCount }
    let assignments = changes.compactMap(\.assignment)
    if 1...3 ~= changes.count, assignments.count == changes.count, difference.rest.isEmpty {
      return "\(start)\(type)) { \(assignments.joined(separator: "; ")) }"
    }
    return whole ?? "// \(start), to: …): \(tree.excuse(for: "value"))"
  }

  /// Whether the new value has a type that the compiler finds without the type of the variable. The types of the
  /// values can differ if the variable's type is a protocol.
  private var hasLiteral: Bool {
    new is Int || new is Double || new is String || new is Bool || type(of: old) != type(of: new)
  }
}

extension ValueDifference.Change {
  /// The code that makes the change in `$0`, or nil if no assignment can make the change.
  fileprivate var assignment: String? {
    guard let code = path.code, !code.isEmpty, path.isOptional || old != nil && new != nil,
      let newCode
    else { return nil }
    return "$0\(code) = \(newCode)"
  }
}
