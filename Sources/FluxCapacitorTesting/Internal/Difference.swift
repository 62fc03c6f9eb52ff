import FluxCapacitor

/// The difference between the expected changes and the changes that have happened.
struct Difference {
  struct Expectation {
    let name: String
    let value: any Sendable
    let line: UInt

    /// Whether the store has a variable with this name.
    let isKnown: Bool
  }

  struct Event {
    let name: String
    let old: any Sendable
    let new: any Sendable
  }

  private let names: [String]
  private var lines: [String] = []
  private var hasMistake = false

  /// - Parameters:
  ///   - expected: The expected changes, in order.
  ///   - happened: The changes that have happened, in order.
  ///   - names: The names of the store's variables and constants.
  ///   - isExact: Whether unexpected changes are mistakes.
  ///   - isDerived: A closure that returns whether a name belongs to a derived constant. The test can omit
  ///     a derived constant's changes, or list them at any position.
  init(
    expected: [Expectation],
    happened: [Event],
    names: [String],
    isExact: Bool,
    isDerived: (String) -> Bool
  ) {
    self.names = names
    var open = Array(expected.enumerated())
    var order: [Int] = []
    for event in happened {
      let position = open.firstIndex { _, expectation in
        expectation.name == event.name && (isExact || isSame(expectation.value, event.new))
      }
      if let position {
        let (place, expectation) = open.remove(at: position)
        if !isDerived(event.name) { order.append(place) }
        compare(event, with: expectation)
      } else if isExact, !isDerived(event.name) {
        note("\(Difference.shown(event)), which was not expected", isMistake: true)
      }
    }
    for (_, expectation) in open {
      let isRepeated = isExact && happened.contains { $0.name == expectation.name }
      noteMissing(expectation, isRepeated: isRepeated)
    }
    if order != order.sorted() {
      let wanted = order.sorted().map { expected[$0].name }.joined(separator: ", ")
      note("the changes were expected in another order: \(wanted)", isMistake: true)
    }
  }

  /// The changes and the mistakes, in one line each. The text is nil if there is no mistake.
  var text: String? {
    hasMistake ? lines.map { "\n\($0)" }.joined() : nil
  }

  private mutating func compare(_ event: Event, with expectation: Expectation) {
    if isSame(event.new, expectation.value) {
      note(Difference.shown(event), isMistake: false)
    } else if let rows = RowDifference.all(from: event.new, to: expectation.value) {
      note(Difference.shown(event), isMistake: true)
      for row in rows {
        let (name, old, new) = row.texts(in: event.name)
        note(
          "\(name) is \(old), but \(new) was expected (line \(expectation.line))",
          isMistake: true
        )
      }
    } else {
      let wanted = FluxCapacitorTesting.shown(expectation.value)
      note(
        "\(Difference.shown(event)), but \(wanted) was expected (line \(expectation.line))",
        isMistake: true
      )
    }
  }

  private mutating func noteMissing(_ expectation: Expectation, isRepeated: Bool) {
    let (name, line) = (expectation.name, expectation.line)
    guard expectation.isKnown else {
      let known = names.joined(separator: ", ")
      return note(
        "\(name): the store has no variable with this name, only \(known) (line \(line))",
        isMistake: true
      )
    }
    let wanted = FluxCapacitorTesting.shown(expectation.value)
    let change = isRepeated ? "was expected to change once more, to" : "was expected to change to"
    note("\(name): \(change) \(wanted), but did not (line \(line))", isMistake: true)
  }

  private mutating func note(_ line: String, isMistake: Bool) {
    lines.append((isMistake ? "✗ " : "  ") + line)
    if isMistake { hasMistake = true }
  }

  private static func shown(_ event: Event) -> String {
    let (old, new) = (event.old, event.new)
    if let rows = RowDifference.all(from: old, to: new) {
      return rows.map { row in
        let (name, old, new) = row.texts(in: event.name)
        return "\(name): \(old) → \(new)"
      }.joined(separator: ", ")
    }
    return "\(event.name): \(FluxCapacitorTesting.shown(old)) → \(FluxCapacitorTesting.shown(new))"
  }
}

extension RowDifference {
  /// Returns the name of the changed row or property, such as `cards["milk"].title`, and both values.
  fileprivate func texts(in table: String) -> (name: String, old: String, new: String) {
    ("\(table)[\(shown(id))]\(detail)", old.map(shown) ?? "nil", new.map(shown) ?? "nil")
  }
}
