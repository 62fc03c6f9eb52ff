import FluxCapacitorDebugging
import Foundation
import Testing

/// Tests of the comparison of values whose parts are unusual, large or hard to compare.
struct ValueDifferenceTests {
  private func lines(_ old: Any, _ new: Any) -> [String] {
    let difference = ValueDifference(from: old, to: new)
    return difference.changes.map { "\($0.path.text): \($0.oldText) → \($0.newText)" }
      + difference.rest
  }

  private func codes(_ old: Any, _ new: Any) -> [String?] {
    ValueDifference(from: old, to: new).changes.map(\.path.code)
  }

  @Test func rowIsNamedByItsIDUnlessTheIDMightBeATextFromASecret() {
    func check<Row>(_ row: Row, place: String, label: String) {
      #expect(lines([Row](), [row])[1].hasPrefix(place + ": nil → "))
      #expect(ValueTree(of: [row]).parts.map(\.label) == [label])
    }

    check(Badge(id: "s3cret"), place: "[0]", label: "")
    check(Guest(token: Token(text: "s3cret")), place: "[0]", label: "")
    check(Visitor(token: Token(text: "s3cret")), place: "[0]", label: "")
    check(Guest(token: nil), place: #"["nobody"]"#, label: #""nobody""#)
    check(
      Member(id: "doc", token: Token(text: "s3cret")),
      place: #"["doc"]"#,
      label: #""doc""#
    )
  }

  @Test func objectsThatAValueDoesNotKeepAreNotCompared() {
    final class Host {}
    struct Visit {
      unowned let host: Host
      let year: Int
    }
    let (past, present) = (
      Visit(host: Host(), year: 1955), Visit(host: Host(), year: 1985)
    )

    #expect(lines(past, present) == [".year: 1955 → 1985"])
  }

  @Test func valuesWithTheSameDescriptionDifferInTheirParts() {
    struct Celsius: CustomStringConvertible {
      var degrees: Double
      var description: String { "\(Int(degrees)) °C" }
    }

    #expect(lines(Celsius(degrees: 20), Celsius(degrees: 20)) == [])
    #expect(lines(Celsius(degrees: 20), Celsius(degrees: 20.5)) == [".degrees: 20.0 → 20.5"])
    #expect(
      lines(
        Date(timeIntervalSinceReferenceDate: 1),
        Date(timeIntervalSinceReferenceDate: 1.5)
      ) == [".timeIntervalSinceReferenceDate: 1.0 → 1.5"]
    )
  }

  @Test func longDescriptionsDifferAtTheirEnds() {
    struct Essay: CustomStringConvertible {
      var description: String
    }
    let text = String(repeating: "x", count: 5_000)

    #expect(lines(Essay(description: text), Essay(description: text)) == [])
    #expect(
      lines(Essay(description: text), Essay(description: text + "y")) == [
        ": … 4980 bytes, xxxxxxxxxxxxxxxxxxxx → … 4980 bytes, xxxxxxxxxxxxxxxxxxxxy"
      ]
    )
  }

  @Test func structsWhoseMirrorsHaveDifferentFieldsDiffer() {
    struct Shape: CustomReflectable {
      var fields: KeyValuePairs<String, Any>
      var customMirror: Mirror { Mirror(self, children: fields, displayStyle: .struct) }
    }

    #expect(lines(Shape(fields: ["a": 1]), Shape(fields: ["a": 1])) == [])
    #expect(
      lines(Shape(fields: ["a": 1]), Shape(fields: ["a": 2, "b": 3])) == [
        ": Shape(a: 1) → Shape(a: 2, b: 3)"
      ]
    )
    #expect(
      lines(Shape(fields: ["a": 1]), Shape(fields: ["b": 2])) == [": Shape(a: 1) → Shape(b: 2)"]
    )
  }

  @Test func unequalValuesWithTheSameMirrorDiffer() {
    struct Hidden: Equatable, CustomReflectable {
      var year: Int
      var customMirror: Mirror { Mirror(self, children: ["year": "?"], displayStyle: .struct) }
    }

    #expect(
      lines(Hidden(year: 1985), Hidden(year: 1955)) == [
        #": Hidden(year: "?") → Hidden(year: "?"), which looks the same but differs"#
      ]
    )
    #expect(lines([Hidden(year: 1985)], [Hidden(year: 1985)]) == [])
  }

  @Test func numbersWithTheSameTextDifferInTheirFields() {
    #expect(
      lines(Cents(amount: 5, currency: "USD"), Cents(amount: 5, currency: "EUR")) == [
        #".currency: "USD" → "EUR""#
      ]
    )
    #expect(
      lines(Cents(amount: 5, currency: "USD"), Cents(amount: 6, currency: "USD")) == [
        ": 5 cents → 6 cents"
      ]
    )
  }

  @Test func unequalValuesWithTheSameFieldsDiffer() {
    struct Formula: Equatable {
      let evaluate: @Sendable () -> Int

      init(_ number: Int) { evaluate = { number } }

      static func == (first: Formula, second: Formula) -> Bool {
        first.evaluate() == second.evaluate()
      }
    }

    #expect(lines(Formula(1), Formula(1)) == [])
    let line = lines(Formula(1), Formula(2)).first
    #expect(line?.hasSuffix(", which looks the same but differs") == true, "\(line ?? "")")
  }

  @Test(arguments: [
    ("Marty McFly", "Marty\u{A0}McFly", #""Marty McFly" → "Marty\u{A0}McFly""#),
    ("admin", "ad\u{200D}min", #""admin" → "ad\u{200D}min""#),
    ("\u{9B}", "\u{9C}\u{85}", #""\u{9B}" → "\u{9C}\u{85}""#),
    ("a", "\u{FEFF}a\u{202E}", #""a" → "\u{FEFF}a\u{202E}""#),
    ("می\u{200C}روم", "👩\u{200D}🔬", "\"می\u{200C}روم\" → \"👩\u{200D}🔬\""),
  ])
  func invisibleCharacterIsEscapedUnlessItJoins(old: String, new: String, line: String) {
    #expect(lines(old, new) == [": \(line)"])
  }

  @Test func descriptionsWithDifferentControlCharactersLookDifferent() {
    struct Name: Equatable, CustomStringConvertible { let description: String }

    #expect(lines("\u{9B}" as Character, "\u{9C}") == [#": "\u{9B}" → "\u{9C}""#])
    #expect(
      lines(Name(description: "a\u{9B}"), Name(description: "a\u{202E}"))
        == [#": a\u{9B} → a\u{202E}"#]
    )
  }

  /// A search for a secret in the mirror would not end.
  @Test func mirrorThatContainsItselfIsNotCompared() {
    struct Endless: CustomReflectable {
      var text: String
      var customMirror: Mirror {
        Mirror(self, children: ["text": text, "first": self, "second": self])
      }
    }

    #expect(lines(Endless(text: "1985"), Endless(text: "1955")) == ["1 part is not compared"])
  }

  @Test func valuesThatAreEqualBeyondTheBudgetDoNotCountAsChanges() {
    struct Essay {
      let text: String
      let body: (@Sendable () -> Void)? = nil
    }
    func essays() -> [Int: Essay] {
      Dictionary(
        uniqueKeysWithValues: (0..<2_000).map { ($0, Essay(text: "A long essay of \($0)")) }
      )
    }

    #expect(lines(essays(), essays()) == ["1000 parts are not compared"])
    #expect(
      lines((0..<2_000).map { [$0: 1] }, (0..<2_000).map { [$0: 2] }).last == "1900 more changes"
    )
  }

  @Test func partBeyondTheTreesBudgetIsNotCompared() {
    struct Essay {
      let text: String
      let body: (@Sendable () -> Void)? = nil
    }
    struct Essays: CustomReflectable {
      let essays: [Essay]
      var customMirror: Mirror { Mirror(self, unlabeledChildren: essays, displayStyle: .set) }
    }
    let text = String(repeating: "x", count: 2_000)

    #expect(
      lines(
        Essays(essays: [Essay(text: text)]),
        Essays(essays: [Essay(text: text.dropLast() + "y")])
      )
        == ["1 part is not compared"]
    )
  }

  @Test func everyCollectionOfElementsListsItsChangedElements() {
    let numbers = Array(0..<1_000)
    var others = numbers
    others[600] = 1985

    #expect(lines(ContiguousArray(numbers), ContiguousArray(others)) == ["[600]: 600 → 1985"])
    #expect(lines(numbers[100...], others[100...]) == ["[500]: 600 → 1985"])
    #expect(codes(numbers[100...], others[100...]) == [nil])
  }

  @Test func distantChangesLeaveTheBudgetToTheElementsBetweenThem() {
    struct Point: Equatable {
      var x: Int
      var y = String(repeating: "y", count: 20)
    }
    let points = (0..<20_000).map { Point(x: $0) }
    // The strings of these points have other addresses.
    var others = (0..<20_000).map { Point(x: $0) }
    others[0].x = -1
    others[19_999].x = -2

    #expect(lines(points, others) == ["[0].x: 0 → -1", "[19999].x: 19999 → -2"])
  }

  @Test func pathsOfOptionalPartsAreCode() {
    struct Entry {
      var tags: [String]?
      var notes: [String: [String: Int]?]
    }

    #expect(
      codes(
        Entry(tags: ["a"], notes: ["b": ["c": 1]]),
        Entry(tags: ["d"], notes: ["b": ["c": 2]])
      ) == [".tags?[0]", #".notes["b"]??["c"]"#]
    )
  }

  @Test func fieldsOfACustomMirrorAreNotCode() {
    struct Reflected: CustomReflectable {
      var year: Int
      var customMirror: Mirror { Mirror(self, children: ["the year": year]) }
    }

    #expect(lines(Reflected(year: 1985), Reflected(year: 1955)) == [".the year: 1985 → 1955"])
    #expect(codes(Reflected(year: 1985), Reflected(year: 1955)) == [nil])
  }

  @Test func entryWithTheValueNilDiffersFromAMissingEntry() {
    #expect(
      lines(["a": 1, "b": 1] as [String: Int?], ["a": nil, "b": 1, "c": nil] as [String: Int?])
        == [": 2 → 3 elements", #"["a"]: 1 → .some(nil)"#, #"["c"]: nil → .some(nil)"#]
    )
  }

  @Test func rowsInTheSameOrderKeepTheirIds() {
    struct Row: Identifiable, Equatable {
      let id: String
      var year: Int
    }
    let rows = ["a", "b", "c", "d"].map { Row(id: $0, year: 1985) }
    var others = rows
    others[0].year = 1955
    others[2].year = 2015

    #expect(lines(rows, others) == [#"["a"].year: 1985 → 1955"#, #"["c"].year: 1985 → 2015"#])
  }

  @Test func treeOfADictionaryDoesNotDependOnTheOrderOfItsHashes() {
    let names = (0..<100).map { "the name \($0)" }
    var (entries, others): ([String: String], [String: String]) = ([:], [:])
    others.reserveCapacity(5_000)
    for name in names { entries[name] = name }
    for name in names.reversed() { others[name] = name }

    #expect(ValueTree(of: entries).text == ValueTree(of: others).text)
    #expect(ValueTree(of: Set(entries.keys)).text == ValueTree(of: Set(others.keys)).text)
    #expect(!ValueTree(of: entries).isWhole)
  }

  @Test func contentOfAnOptionalOptionalDiffersFromNil() {
    #expect(lines([Int??.none], [Int??.some(nil)]) == ["[0]: nil → .some(nil)"])
  }
}

private struct Cents: Numeric, CustomStringConvertible {
  var amount: Int
  var currency: String
  var description: String { "\(amount) cents" }
  var magnitude: Int { amount }

  init(amount: Int, currency: String) { (self.amount, self.currency) = (amount, currency) }

  init(integerLiteral value: Int) { self.init(amount: value, currency: "USD") }

  init?(exactly source: some BinaryInteger) { self.init(amount: Int(source), currency: "USD") }

  static func + (first: Cents, second: Cents) -> Cents {
    Cents(amount: first.amount + second.amount, currency: first.currency)
  }

  static func - (first: Cents, second: Cents) -> Cents {
    Cents(amount: first.amount - second.amount, currency: first.currency)
  }

  static func * (first: Cents, second: Cents) -> Cents {
    Cents(amount: first.amount * second.amount, currency: first.currency)
  }

  static func *= (first: inout Cents, second: Cents) { first = first * second }
}

private struct Token: Secret, Hashable {
  let text: String
}

/// A secret with an id.
private struct Badge: Secret, Identifiable {
  let id: String
}

/// A row whose id is the text of a secret.
private struct Guest: Identifiable {
  let token: Token?
  var id: String { token?.text ?? "nobody" }
}

/// A row that is an object, and whose id is the text of a secret.
private final class Visitor: Identifiable {
  let token: Token
  var id: String { token.text }

  init(token: Token) { self.token = token }
}

/// A row that contains a secret, but not in its id.
private struct Member: Identifiable {
  let id: String
  let token: Token
}
