import FluxCapacitor
import FluxCapacitorDebugging

/// The difference between the expected changes and the changes that have happened.
struct Difference {
  struct Expectation {
    let name: String

    /// The identity of the variable or constant, or nil if the test refers to it by its name.
    let identity: ObjectIdentifier?

    /// Whether each access to the key path creates a constant.
    let isTemporary: Bool

    /// Returns the expected value, for the value before the change.
    let value: (_ old: any Sendable) -> any Sendable
    let line: UInt

    /// The variable's present value, or nil if the store has no such variable.
    let present: (any Sendable)?

    /// Whether the test refers to a derived constant. The test can omit a derived constant's changes, or list them at
    /// any position among the others.
    let isDerived: Bool

    /// Whether the test refers to several variables of the store.
    func isAmbiguous(in names: [String]) -> Bool {
      identity == nil && names.count { $0 == name } > 1
    }

    /// A line for a variable that the store doesn't have.
    fileprivate func absence(among names: [String]) -> String {
      let known = names.joined(separator: ", ")
      if identity == nil {
        return "\(name): the store has no variable with this name, only \(known) (line \(line))"
      }
      if isTemporary {
        return """
          the key path in line \(line) leads to a constant that each access creates anew, so it can't be \
          compared. Keep the constant in a `let` of the store.
          """
      }
      return """
        the key path in line \(line) leads to a value that the tester doesn't find in the store, only \
        \(known). If the value belongs to another store, use a tester of that store.
        """
    }

    fileprivate func refers(to event: Event) -> Bool {
      identity.map { $0 == event.identity } ?? (name == event.name)
    }
  }

  struct Event {
    let name: String
    let identity: ObjectIdentifier
    let isDerived: Bool
    let old: any Sendable
    let new: any Sendable
  }

  private var lines: [String] = []
  private var hasMistake = false

  /// - Parameters:
  ///   - expected: The expected changes, in order.
  ///   - happened: The changes that have happened, in order.
  ///   - names: The names of the store's variables and constants.
  ///   - isExact: Whether unexpected changes are mistakes.
  init(expected: [Expectation], happened: [Event], names: [String], isExact: Bool) {
    let isContained = happened.contain(isExact ? expected.filter(\.isDerived) : expected)
    if !isExact, isContained { return }
    var open = Array(expected.enumerated())
    // An exact tester ignores a derived constant's unlisted changes too.
    if isContained { open.removeAll { $0.element.isDerived } }
    var order: [Int] = []
    for event in happened {
      let position = open.firstIndex { _, expectation in
        expectation.refers(to: event)
          && (isExact || isSame(expectation.value(event.old), event.new))
      }
      if let position {
        let (place, expectation) = open.remove(at: position)
        if !event.isDerived { order.append(place) }
        compare(event, with: expectation)
      } else if isExact, !event.isDerived {
        note(event.lines.map { "\($0), which was not expected" }, isMistake: true)
      }
    }
    for (_, expectation) in open {
      let isRepeated = isExact && happened.contains(where: expectation.refers)
      // A relaxed tester might have ignored a change to another value.
      let ignored = isExact ? nil : happened.first(where: expectation.refers)
      noteMissing(expectation, since: ignored?.old, isRepeated: isRepeated, names: names)
    }
    let isOrdered = order == order.sorted()
    // A relaxed tester has not found the changes in their order, so at least a derived constant's differ.
    if !isOrdered || !isExact && !hasMistake {
      let wanted = isOrdered ? expected.filter(\.isDerived) : order.sorted().map { expected[$0] }
      let list = wanted.map(\.name).joined(separator: ", ")
      note(["the changes were expected in another order: \(list)"], isMistake: true)
    }
  }

  /// The changes and the mistakes, in one line each. The text is nil if there is no mistake.
  var text: String? {
    hasMistake ? lines.map { "\n\($0)" }.joined() : nil
  }

  private mutating func compare(_ event: Event, with expectation: Expectation) {
    let wanted = expectation.value(event.old)
    if isSame(event.new, wanted) { return note(event.lines, isMistake: false) }
    let place = "was expected (line \(expectation.line))"
    if areShort(event.old, event.new), areShort(event.new, wanted) {
      return note(["\(event.lines[0]), but \(shown(wanted)) \(place)"], isMistake: true)
    }
    let parts = event.parts
    var mistakes = differingParts(of: event.new, from: wanted)
    for part in parts.changes {
      let line = "\(event.name)\(part.line)"
      if let mistake = mistakes.firstIndex(where: { $0.path == part.path.text }) {
        note(["\(line), but \(mistakes.remove(at: mistake).new) \(place)"], isMistake: true)
      } else {
        note([line], isMistake: false)
      }
    }
    note(parts.rest.map { "\(event.name): \($0)" }, isMistake: false)
    note(
      mistakes.map { "\(event.name)\($0.path) is \($0.old), but \($0.new) \(place)" },
      isMistake: true
    )
  }

  private mutating func noteMissing(
    _ expectation: Expectation,
    since old: (any Sendable)?,
    isRepeated: Bool,
    names: [String]
  ) {
    let (name, line) = (expectation.name, expectation.line)
    guard let present = expectation.present else {
      return note([expectation.absence(among: names)], isMistake: true)
    }
    let wanted = expectation.value(old ?? present)
    let change = isRepeated ? "was expected to change once more, to" : "was expected to change to"
    let parts =
      areShort(present, wanted)
      ? [("", "", shown(wanted))] : differingParts(of: present, from: wanted)
    note(
      parts.map { path, _, new in "\(name)\(path): \(change) \(new), but did not (line \(line))" },
      isMistake: true
    )
  }

  private mutating func note(_ texts: [String], isMistake: Bool) {
    lines += texts.map { (isMistake ? "✗ " : "  ") + $0 }
    if isMistake { hasMistake = true }
  }
}

extension [Difference.Event] {
  /// Returns whether the expected changes are among these ones in the same order. The changes of each derived constant
  /// have an order of their own.
  fileprivate func contain(_ expected: [Difference.Expectation]) -> Bool {
    var ends: [String: Int] = [:]
    return expected.allSatisfy { expectation in
      let order = expectation.isDerived ? expectation.name : ""
      let place = self[ends[order, default: 0]...].firstIndex {
        expectation.refers(to: $0) && isSame(expectation.value($0.old), $0.new)
      }
      ends[order] = place.map { $0 + 1 }
      return place != nil
    }
  }
}

extension Difference.Event {
  /// The changed parts of the value.
  fileprivate var parts: ValueDifference { ValueDifference(from: old, to: new, within: .ofTests) }

  /// A line for the whole change if the values are short, or else a line for each changed part.
  fileprivate var lines: [String] {
    if areShort(old, new) { return ["\(name): \(shown(old)) → \(shown(new))"] }
    let parts = parts
    let lines = parts.changes.map { "\(name)\($0.line)" } + parts.rest.map { "\(name): \($0)" }
    return lines.isEmpty ? ["\(name): \(shown(old)) → \(shown(new)), which may differ"] : lines
  }
}

extension ValueDifference.Change {
  /// The path and both values, such as `["milk"].title: "Milk" → "Oat milk"`.
  fileprivate var line: String { "\(path.text): \(oldText) → \(newText)" }
}

/// Returns whether the texts of two values fit in a line, and show that the values differ if they do.
private func areShort(_ first: Any, _ second: Any) -> Bool {
  let (text, other) = (shown(first), shown(second))
  return text.count + other.count <= 80 && (text != other || isSame(first, second))
}

/// Returns the paths and the texts of the parts in which two values differ.
private func differingParts(of old: Any, from new: Any) -> [(
  path: String, old: String, new: String
)] {
  let difference = ValueDifference(from: old, to: new, within: .ofTests)
  let parts = difference.changes.filter { !$0.isCount }.map {
    ($0.path.text, $0.oldText, $0.newText)
  }
  return parts.isEmpty ? [("", shown(old), shown(new))] : parts
}

extension DifferenceBudget {
  /// The budget of a failing test.
  static let ofTests = DifferenceBudget(changes: 20, bytes: 500)
}
