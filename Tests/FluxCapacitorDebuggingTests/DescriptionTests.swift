import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests of the descriptions of a state's values in logs and on the explorer's page.
@Suite(.isolatedDispatcher)
struct DescriptionTests {
  private struct Person: Sendable, Hashable {
    var name = "Emmett"
    var year: Int?
  }

  private struct Celsius: Sendable, CustomStringConvertible {
    let description: String
  }

  private struct Login: Sendable, Hashable, Comparable, CustomStringConvertible {
    let token: Token
    var description: String { token.text }

    static func < (first: Login, second: Login) -> Bool { first.token.text < second.token.text }
  }

  private struct ErasedKey: @unchecked Sendable {
    let key: AnyHashable
  }

  /// A value whose mirror has children, but no style.
  private struct Reflected: Sendable, CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: ["year": 1985]) }
  }

  /// A value whose mirror claims to be the mirror of a dictionary, but has no pairs.
  private struct Pairless: Sendable, CustomReflectable {
    var customMirror: Mirror {
      Mirror(self, unlabeledChildren: [1985, 1955], displayStyle: .dictionary)
    }
  }

  private struct Token: Secret, Hashable {
    let text: String
  }

  /// An object that refers to itself and holds a token.
  private final class Session: @unchecked Sendable {
    var itself: Session?
    let token = Token(text: "s3cret")
  }

  private final class NamedSession: Sendable, CustomStringConvertible {
    let token = Token(text: "s3cret")
    var description: String { "a session with \(token)" }
  }

  private enum Way: Sendable {
    case none, to(Person), by(first: Int, Int), one(year: Int)
  }

  struct Written: Sendable, CustomTestStringConvertible {
    let text: String
    let value: any Sendable
    var testDescription: String { text }
  }

  private static let session: Session = {
    let session = Session()
    session.itself = session
    return session
  }()

  static let values: [Written] = [
    Written(text: "1", value: 1),
    Written(text: "nil", value: Int?.none),
    Written(text: "1", value: Int??.some(1)),
    Written(text: #""Optional(a.b)\n""#, value: "Optional(a.b)\n"),
    Written(text: #"Person(name: "Emmett", year: nil)"#, value: Person()),
    Written(text: #"[Person(name: "Emmett", year: 1985)]"#, value: [Person(year: 1985)]),
    Written(text: #"["a": [1, 2], "b": []]"#, value: ["b": [], "a": [1, 2]]),
    Written(text: "[:]", value: [Int: Int]()),
    Written(text: "[1, 2, 3]", value: Set([3, 1, 2])),
    Written(text: #"(1, "a")"#, value: (1, "a")),
    Written(text: "(x: 1, y: 2)", value: (x: 1, y: 2)),
    Written(text: ".none", value: Way.none),
    Written(text: #".to(Person(name: "Emmett", year: nil))"#, value: Way.to(Person())),
    Written(text: ".by(first: 1, 2)", value: Way.by(first: 1, 2)),
    Written(text: ".one(year: 1985)", value: Way.one(year: 1985)),
    Written(text: "20 °C", value: Celsius(description: "20 °C")),
    Written(text: "Range(0..<5)", value: 0..<5),
    Written(text: "http://a.b/c", value: URL(string: "http://a.b/c")),
    Written(text: "•••", value: Token(text: "s3cret")),
    Written(text: "Login(token: •••)", value: Login(token: Token(text: "s3cret"))),
    Written(text: "[•••]", value: Set([Token(text: "s3cret")])),
    Written(text: "[•••: 1]", value: [Token(text: "s3cret"): 1]),
    Written(
      text: "ErasedKey(key: AnyHashable(value: Login(token: •••)))",
      value: ErasedKey(key: Login(token: Token(text: "s3cret")))
    ),
    Written(
      text: "Range<Login>(lowerBound: Login(token: •••), upperBound: Login(token: •••))",
      value: Login(token: Token(text: "s3cret"))..<Login(token: Token(text: "s3cret2"))
    ),
    Written(text: "Reflected(year: 1985)", value: Reflected()),
    Written(text: "[1985, 1955]", value: Pairless()),
    Written(text: "Session", value: session),
    Written(text: "a session with •••", value: NamedSession()),
    Written(text: #"20\n\u{1B}[2J"#, value: Celsius(description: "20\n\u{1B}[2J")),
  ]

  @Test(arguments: values)
  func dispatchLoggerWritesValuesAsInSourceCode(expected: Written) throws {
    #expect(try written(expected.value) == expected.text)
  }

  @Test func printingOrDumpingASecretRevealsNoneOfItsContents() {
    let token = Token(text: "s3cret")
    var dumped = ""
    dump(token, to: &dumped)

    #expect("\(token) \(String(reflecting: token)) \([token])" == "••• ••• [•••]")
    #expect(!dumped.contains("s3cret"))
  }

  @Test func dispatchLoggerWritesAStateWithTheNameOfItsType() throws {
    enum Phrase: DispatchState, CustomStringConvertible {
      typealias RelatedStoreType = PhraseStore
      typealias RelatedActionType = PhraseAction

      case hello
      var description: String { "Hello." }
    }
    struct PhraseAction: Actionable {
      typealias DispatchStateType = Phrase
    }
    final class PhraseStore: Storable {
      func reduce(with _: Phrase) {}
    }

    #expect(try text { PhraseAction().invoke(.hello) }.hasPrefix("1 Phrase: Hello. → "))
  }

  /// Returns the text that a logger writes for the value of a state.
  private func written(_ value: any Sendable) throws -> String {
    let line = try text { ValueAction().invoke(ValueState(value: value)) }
    let start = try #require(line.firstRange(of: "1 ValueState(value: ")).upperBound
    let end = try #require(line.firstRange(of: ") → no store")).lowerBound
    return String(line[start..<end])
  }

  private func text(of dispatch: () -> Void) throws -> String {
    let pipe = Pipe()
    let logger = DispatchLogger(to: pipe.fileHandleForWriting)
    dispatch()
    try pipe.fileHandleForWriting.close()
    withExtendedLifetime(logger) {}
    return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }
}

private struct ValueState: DispatchState {
  typealias RelatedStoreType = ValueStore
  typealias RelatedActionType = ValueAction

  let value: any Sendable
}

private struct ValueAction: Actionable {
  typealias DispatchStateType = ValueState
}

private final class ValueStore: Storable {
  func reduce(with _: ValueState) {}
}
