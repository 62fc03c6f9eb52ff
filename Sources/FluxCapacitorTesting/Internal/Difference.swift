/// What was expected to change beside what has changed.
struct Difference {
  struct Expectation {
    let name: String
    let value: any Sendable
    let line: UInt

    /// Whether the store has a variable of that name.
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
  ///   - expected: What was expected, in order.
  ///   - happened: What has changed, in order.
  ///   - names: What the store has, by name.
  ///   - isExact: Whether nothing else may have changed.
  ///   - isDerived: Whether a name is that of a constant that follows from others: it may be left out,
  ///     and stand anywhere.
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
      note("in another order than expected: \(wanted)", isMistake: true)
    }
  }

  /// The differences, a line each; nil if there are none.
  var text: String? {
    hasMistake ? lines.map { "\n\($0)" }.joined() : nil
  }

  private mutating func compare(_ event: Event, with expectation: Expectation) {
    if isSame(event.new, expectation.value) {
      note(Difference.shown(event), isMistake: false)
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
        "\(name): the store has no such variable, but these: \(known) (line \(line))",
        isMistake: true
      )
    }
    let wanted = FluxCapacitorTesting.shown(expectation.value)
    let change = isRepeated ? "has not changed once more, to" : "has not changed to"
    note("\(name): \(change) \(wanted), as was expected (line \(line))", isMistake: true)
  }

  private mutating func note(_ line: String, isMistake: Bool) {
    lines.append((isMistake ? "✗ " : "  ") + line)
    if isMistake { hasMistake = true }
  }

  private static func shown(_ event: Event) -> String {
    let (old, new) = (event.old, event.new)
    return "\(event.name): \(FluxCapacitorTesting.shown(old)) → \(FluxCapacitorTesting.shown(new))"
  }
}
