import FluxCapacitor
import Foundation

/// A comparison of two values, which lists the changed parts.
struct Comparison {
  let budget: DifferenceBudget
  var difference = ValueDifference()

  /// The number of pairs of parts that the comparison has looked into.
  private var count = 0

  /// The number of parts that contain the compared parts.
  private var depth = 0

  /// The number of parts that the searches for secrets may still examine.
  private var searches = 100_000

  init(budget: DifferenceBudget) {
    self.budget = budget
  }

  private var isExhausted: Bool { count > budget.comparisons || searches == 0 }

  private var isFull: Bool { difference.changes.count >= budget.changes }

  /// Lists the changes of a part at a path.
  mutating func compare(_ old: Any, _ new: Any, at path: ValuePath) {
    count += 1
    if areIdentical(old, new) { return }
    if isExhausted || depth == budget.depth || type(of: old) != type(of: new) {
      return noteIfDifferent(old, new, at: path)
    }
    depth += 1
    defer { depth -= 1 }
    switch (Reflection(old, searches: &searches), Reflection(new, searches: &searches)) {
    case (.string(let oldText), .string(let newText)) where oldText != newText:
      note(
        ValueTree(oldText, beside: newText, bytes: budget.bytes),
        ValueTree(newText, beside: oldText, bytes: budget.bytes),
        at: path
      )
    case (.data(let oldData), .data(let newData)) where oldData != newData:
      note(
        ValueTree(.description, oldData.excerpt(beside: newData)),
        ValueTree(.description, newData.excerpt(beside: oldData)),
        at: path
      )
    case (.composed, .composed): compareParts(old, new, at: path)
    case (.number(let oldText), .number(let newText)) where oldText != newText:
      note(ValueTree(.number, oldText), ValueTree(.number, newText), at: path)
    case (.number, .number), (.described, .described):
      if areEqual(old, new) { return }
      let (oldText, newText) = (String(reflecting: old), String(reflecting: new))
      if oldText == newText, !(type(of: old) is AnyClass) {
        return compareParts(old, new, at: path)
      }
      note(
        ValueTree(describedBy: oldText, beside: newText, bytes: budget.bytes),
        ValueTree(describedBy: newText, beside: oldText, bytes: budget.bytes),
        at: path
      )
    default: noteIfDifferent(old, new, at: path)
    }
  }

  private mutating func compareParts(_ old: Any, _ new: Any, at path: ValuePath) {
    let (oldMirror, newMirror) = (mirror(of: old), mirror(of: new))
    let style = oldMirror.displayStyle ?? .struct
    // A cast of an optional would also unwrap the optional.
    let collection = style == .optional ? nil : new as? any ComparableCollection
    if collection?.compare(with: old, at: path, in: &self) == true { return }
    if style == .collection, let elements = new as? any Collection,
      elements.compareElements(with: old, at: path.withoutCode, in: &self)
    {
      return
    }
    let count = difference.count
    // The fields of a custom mirror might not be properties.
    let isCustom = !isOptional(type(of: new)) && new is any CustomReflectable
    let fieldsPath = isCustom ? path.withoutCode : path
    let hasFields = compareFields(of: oldMirror, newMirror, style, at: fieldsPath)
    // Unequal values might have the same fields.
    if hasFields, difference.count > count || !isCustom && !(new is any Equatable) { return }
    noteIfDifferent(old, new, at: path)
  }

  /// Compares the fields of two values. Returns whether both values have the same fields.
  private mutating func compareFields(
    of old: Mirror,
    _ new: Mirror,
    _ style: Mirror.DisplayStyle,
    at path: ValuePath
  ) -> Bool {
    switch style {
    case .optional, .enum:
      guard let old = old.children.first, let new = new.children.first, old.label == new.label
      else { return false }
      compare(
        old.value,
        new.value,
        at: style == .enum ? path.payload(of: old.label ?? "") : path.unwrapped
      )
    case .struct, .tuple:
      guard old.children.map(\.label) == new.children.map(\.label) else { return false }
      for (old, new) in zip(old.children, new.children) {
        compare(old.value, new.value, at: path.field(old.label ?? ""))
      }
    default: return false
    }
    return true
  }

  private mutating func noteIfDifferent(_ old: Any, _ new: Any, at path: ValuePath) {
    if areDifferent(old, new) { note(old: old, new: new, at: path) }
  }

  private mutating func areDifferent(_ old: Any, _ new: Any) -> Bool {
    if type(of: old) != type(of: new) { return true }
    if let areEqual = equality(of: old, and: new) { return !areEqual }
    if caseName(of: old) != caseName(of: new) { return true }
    // The identity of an object has changed. The contents of a secret must not decide.
    if type(of: old) is AnyClass || old is any Secret { return true }
    if isExhausted || isFull {
      difference.uncompared += 1
      return false
    }
    // Functions can't be compared, and have equal trees.
    let (tree, other) = (ValueTree(of: old), ValueTree(of: new))
    if tree == other, !tree.isWhole { difference.uncompared += 1 }
    return tree != other
  }

  /// Lists a change of a part.
  mutating func note(old: Any?, new: Any?, at path: ValuePath) {
    guard hasRoom() else { return }
    let budget = TreeBudget(bytes: budget.bytes)
    note(
      old.map { ValueTree(of: $0, within: budget) },
      new.map { ValueTree(of: $0, within: budget) },
      at: path
    )
  }

  /// Lists the change of a collection's count, such as `24 → 30 elements`.
  mutating func noteCount(from old: Int, to new: Int, at path: ValuePath) {
    guard old != new, hasRoom() else { return }
    let (old, new) = (ValueTree(.description, "\(old)"), ValueTree(.description, "\(new) elements"))
    difference.changes.append(.init(path: path, old: old, new: new, isCount: true))
  }

  private mutating func note(_ old: ValueTree?, _ new: ValueTree?, at path: ValuePath) {
    guard hasRoom() else { return }
    var new = new
    if let text = new?.text, text == old?.text, text != ValueTree.secret.text {
      new = ValueTree(.description, "\(text), which looks the same but differs")
    }
    difference.changes.append(.init(path: path, old: old, new: new))
  }

  /// Returns whether the list has room for a change. If not, this method counts the change as omitted.
  private mutating func hasRoom() -> Bool {
    if !isFull { return true }
    difference.omitted += 1
    return false
  }
}

/// Returns whether two values have the same type and the same bytes, as copies of a value usually have.
package func areIdentical(_ first: Any, _ second: Any) -> Bool {
  // No cast is used, because casting the storage of an `InlineArray` traps.
  func compare<First>(_ first: First) -> Bool {
    func compare<Second>(_ second: Second) -> Bool {
      First.self == Second.self && haveSameBytes(first, second)
    }
    return _openExistential(second, do: compare)
  }
  return _openExistential(first, do: compare)
}

/// Returns whether two values of one type have the same bytes. Bytes without a meaning can differ between two copies
/// of a value.
func haveSameBytes<First, Second>(_ first: First, _ second: Second) -> Bool {
  withUnsafeBytes(of: first) { first in
    withUnsafeBytes(of: second) { second in
      guard let start = first.baseAddress, let other = second.baseAddress else { return true }
      return memcmp(start, other, first.count) == 0
    }
  }
}

/// Returns the name of an enum value's case, whatever the description of the value, or nil for other values.
package func caseName(of value: Any) -> String? {
  func name<Value>(_ value: Value) -> String? { runtimeCaseName(value).map { String(cString: $0) } }
  let isEnum = !(value is any CustomReflectable) && Mirror(reflecting: value).displayStyle == .enum
  return isEnum ? _openExistential(value, do: name) : nil
}

/// The function of Swift's runtime with which `print` finds the name of a case. Only the value of an enum may be passed.
@_silgen_name("swift_EnumCaseName")
private func runtimeCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
