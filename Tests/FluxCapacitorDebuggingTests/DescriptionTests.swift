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

  /// A number with a description that shows the text of a secret, if the number has one.
  private struct Amount: Sendable, Numeric, CustomStringConvertible {
    var magnitude = 5
    var token: Token?
    var description: String { "\(magnitude)\(token?.text ?? "")" }

    init(_ token: Token?) { self.token = token }
    init(integerLiteral magnitude: Int) { self.magnitude = magnitude }
    init?(exactly source: some BinaryInteger) { magnitude = Int(source) }

    static func + (first: Amount, second: Amount) -> Amount { first }
    static func - (first: Amount, second: Amount) -> Amount { first }
    static func * (first: Amount, second: Amount) -> Amount { first }
    static func *= (first: inout Amount, second: Amount) {}
  }

  /// A value with a description that contains a secret, which the mirror doesn't show.
  private struct Hiding: Sendable, CustomReflectable, CustomStringConvertible {
    let token: Token? = Token(text: "s3cret")
    var description: String { "\(token?.text ?? "")" }
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// A value whose mirror and description show the text of a secret.
  private struct Telling: Sendable, CustomReflectable, CustomStringConvertible {
    let token = Token(text: "s3cret")
    var description: String { token.text }
    var customMirror: Mirror { Mirror(self, children: ["token": token.text]) }
  }

  /// A value whose description shows the text of a secret in an object.
  private struct Indirect: Sendable, CustomStringConvertible {
    let session = NamedSession()
    var description: String { session.token.text }
  }

  /// An enum whose mirror hides the payload that the description shows.
  private enum Ticket: Sendable, CustomReflectable, CustomStringConvertible {
    case token(Token)

    var description: String {
      switch self {
      case .token(let token): token.text
      }
    }

    var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
  }

  /// A list whose mirror shows its elements, or the texts of its elements.
  private struct Bag: Sendable, Sequence, CustomReflectable {
    var showsTexts = false
    let tokens = [Token(text: "s3cret")]

    func makeIterator() -> some IteratorProtocol<Token> { tokens.makeIterator() }

    var customMirror: Mirror {
      showsTexts
        ? Mirror(self, unlabeledChildren: tokens.map(\.text), displayStyle: .collection)
        : Mirror(self, unlabeledChildren: tokens, displayStyle: .collection)
    }
  }

  /// A list whose mirror shows texts, perhaps of its token, as its elements.
  private struct Texts<Element>: @unchecked Sendable, Sequence, CustomReflectable {
    var token: Token? = Token(text: "s3cret")
    let elements: [Element]

    func makeIterator() -> some IteratorProtocol<Element> { elements.makeIterator() }

    var customMirror: Mirror {
      Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
    }
  }

  /// A value whose description might show the text of a secret that it can reach.
  private struct Telltale<Content>: @unchecked Sendable, CustomStringConvertible {
    let content: Content
    var description: String { "tale" }

    init(_ content: Content) { self.content = content }
  }

  private final class Box<Content>: @unchecked Sendable {
    var content: Content
    init(_ content: Content) { self.content = content }
  }

  /// An object with a part that can't be copied, like a `Mutex`.
  private final class LockedBox: Sendable {
    struct Cell: ~Copyable { let token = Token(text: "s3cret") }

    let cell = Cell()
  }

  private final class Buffer: ManagedBuffer<Int, Token> {}

  private final class ReflectedBox: Sendable, CustomReflectable {
    let token = Token(text: "s3cret")
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// An object whose mirror shows the texts of its secrets, as the parts of a value with another style.
  private final class Keyring: Sendable, CustomReflectable {
    let token = Token(text: "s3cret")
    let style: Mirror.DisplayStyle

    init(_ style: Mirror.DisplayStyle) { self.style = style }

    var customMirror: Mirror { Mirror(self, unlabeledChildren: [token.text], displayStyle: style) }
  }

  /// A list with more parts than a search examines, whose elements are the texts of its secrets.
  private struct Crowd: Sendable, Sequence, CustomReflectable {
    let token = Token(text: "s3cret")
    let others: [any Sendable] = Array(repeating: 1, count: 3_000)

    func makeIterator() -> some IteratorProtocol<String> { [token.text].makeIterator() }

    var customMirror: Mirror {
      Mirror(self, unlabeledChildren: [token.text], displayStyle: .collection)
    }
  }

  /// A value whose mirror looks like that of an optional without a content.
  private struct Absent: Sendable, CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: [], displayStyle: .optional) }
  }

  private struct Weak<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?
  }

  /// A secret that is an object.
  private final class Key: Secret, Sendable {}

  /// A secret with a mirror of its own.
  private struct ReflectedToken: Secret {
    let text = "s3cret"
    var customMirror: Mirror { Mirror(self, children: ["text": text], displayStyle: .tuple) }
  }

  private enum Pass: Sendable {
    case by(ReflectedToken)
  }

  /// A value with a reference that doesn't keep its object.
  private struct Visit: @unchecked Sendable {
    unowned let guest: Session
    weak var host: Session?
    let year: Int

    /// A visit whose guest and host are gone.
    static var past: Visit {
      let guest = Session()
      return Visit(guest: guest, host: guest, year: 1955)
    }
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

  private static let session: Session = {
    let session = Session()
    session.itself = session
    return session
  }()

  private static let values: [(text: String, value: any Sendable)] = [
    ("1", 1),
    ("nil", Int?.none),
    ("1", Int??.some(1)),
    (#""Optional(a.b)\n""#, "Optional(a.b)\n"),
    (#"Person(name: "Emmett", year: nil)"#, Person()),
    (#"[Person(name: "Emmett", year: 1985)]"#, [Person(year: 1985)]),
    (#"["a": [1, 2], "b": []]"#, ["b": [], "a": [1, 2]]),
    ("[:]", [Int: Int]()),
    ("[1, 2, 3]", Set([3, 1, 2])),
    (#"(1, "a")"#, (1, "a")),
    ("(x: 1, y: 2)", (x: 1, y: 2)),
    (".none", Way.none),
    (#".to(Person(name: "Emmett", year: nil))"#, Way.to(Person())),
    (".by(first: 1, 2)", Way.by(first: 1, 2)),
    (".one(year: 1985)", Way.one(year: 1985)),
    ("20 °C", Celsius(description: "20 °C")),
    ("Range(0..<5)", 0..<5),
    ("http://a.b/c", URL(string: "http://a.b/c")),
    ("•••", Token(text: "s3cret")),
    ("Login(token: •••)", Login(token: Token(text: "s3cret"))),
    ("[•••]", Set([Token(text: "s3cret")])),
    ("[•••: 1]", [Token(text: "s3cret"): 1]),
    (
      "ErasedKey(key: AnyHashable(value: Login(token: •••)))",
      ErasedKey(key: Login(token: Token(text: "s3cret")))
    ),
    (
      "Range<Login>(lowerBound: Login(token: •••), upperBound: Login(token: •••))",
      Login(token: Token(text: "s3cret"))..<Login(token: Token(text: "s3cret2"))
    ),
    ("5", Amount(nil)),
    ("Amount(magnitude: 5, token: •••)", Amount(Token(text: "s3cret"))),
    ("Reflected(year: 1985)", Reflected()),
    ("Hiding", Hiding()),
    ("Telling", Telling()),
    ("Indirect(session: a session with •••)", Indirect()),
    ("Ticket", Ticket.token(Token(text: "s3cret"))),
    ("Bag", Bag()),
    ("Bag", Bag(showsTexts: true)),
    ("Texts<String>", Texts(elements: ["s3cret"])),
    ("Texts<Any>", Texts<Any>(elements: ["user", "s3cret"])),
    (#"["1985"]"#, Texts(token: nil, elements: ["1985"])),
    (".by(•••)", Pass.by(ReflectedToken())),
    ("[1985, 1955]", Pairless()),
    ("Keyring", Keyring(.collection)),
    ("Keyring", Keyring(.dictionary)),
    ("Keyring", Keyring(.optional)),
    ("Keyring", Keyring(.set)),
    ("Keyring", Keyring(.tuple)),
    ("[Keyring]", [Keyring(.tuple)]),
    ("Crowd", Crowd()),
    ("Absent()", Absent()),
    ("Session", session),
    ("a session with •••", NamedSession()),
    (#"20\n\u{1B}[2J"#, Celsius(description: "20\n\u{1B}[2J")),
  ]

  @Test(arguments: values)
  func dispatchLoggerWritesValuesAsInSourceCode(text: String, value: any Sendable) throws {
    let written = try written(value)
    #expect(written == text)
  }

  /// A value's own description isn't used if the value can reach a secret that the search doesn't read.
  @Test(
    arguments: [
      Telltale(Box(Token?.none)), Telltale(Box([Token]())), Telltale(Box(["": Token(text: "")])),
      Telltale(Box(Set([Token(text: "")]))), Telltale(Box((1, Token(text: "")))),
      Telltale(Box(Login(token: Token(text: "")))), Telltale(Box([[Login]?]())),
      Telltale(Box(Pass.by(ReflectedToken()))), Telltale(Box<any Sendable>(Token(text: ""))),
      Telltale(Box<AnyObject>(Key())), Telltale(Box(AnyHashable(Token(text: "")))),
      Telltale(Box(Box(Token(text: "")))), Telltale(Weak<Key>()), Telltale(Weak<Session>()),
      Telltale([Weak<Key>()]), Telltale(AnySequence([Token(text: "")])), Telltale(LockedBox()),
      Telltale(ReflectedBox()), Telltale([1: Token(text: "")].values),
      Telltale([Token(text: ""): 1].keys), Telltale([1: Token(text: "")].values[...]),
      Telltale(Set([Token(text: "")]).makeIterator()),
      Telltale([Token(text: "")].lazy.map(\.text) as LazyMapSequence<[Token], String>),
      Telltale(UnsafeMutableBufferPointer<Token>(start: nil, count: 0)),
      Telltale(UnsafePointer(UnsafeMutablePointer<Token>.allocate(capacity: 1))),
      Telltale(Buffer.create(minimumCapacity: 0) { _ in 1 }),
      Telltale(sequence(state: Token(text: "")) { $0.text }),
    ] as [any Sendable]
  )
  func ownDescriptionIsNotUsedIfAnUnreadPartMightBeASecret(value: any Sendable) throws {
    let written = try written(value)
    #expect(written.hasPrefix("Telltale<"), "\(written)")
  }

  @Test(
    arguments: [
      Telltale(Box(1)), Telltale(Box(["": [1.5]])), Telltale(Box("" as String?)),
      Telltale(Box(URL(string: "a"))), Telltale(Box(Person())), Telltale(Box((Date(), Data()))),
      Telltale(Box("" as Substring)), Telltale(Box([[Decimal?]]())), Telltale(Box<() -> Void> {}),
      Telltale(AnySequence([1])), Telltale([1: 1].values), Telltale(["": ""].keys[...]),
      Telltale(Set([1]).makeIterator()), Telltale([1].lazy.map { "\($0)" }),
      Telltale(UnsafeMutableBufferPointer<Int>(start: nil, count: 0)), Telltale([Token]()),
      Telltale([Token]().reversed()), Telltale(zip([1], [Any]())), Telltale(0..<5),
      Telltale([Any]()), Telltale([Token: Pass]()), Telltale(Token?.none),
      Telltale([Int](repeating: 0, count: 2_000)),
    ] as [any Sendable]
  )
  func ownDescriptionIsUsedIfNoUnreadPartCanBeASecret(value: any Sendable) throws {
    #expect(try written(value) == "tale")
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func ownDescriptionIsNotUsedIfAnInlineArrayHoldsSecrets() throws {
    let secrets: InlineArray = [Token(text: ""), Token(text: "")]
    let mixed: InlineArray = [1 as Any]
    let lines = text {
      for value in [Telltale(secrets), Telltale(mixed), Telltale([1, 2] as InlineArray)]
        as [any Sendable]
      {
        Invoker<ValueState>().invoke(ValueState(value: value))
      }
    }.split(separator: "\n")

    #expect(lines.map { $0.contains("value: tale") } == [false, false, true])
  }

  @Test func dispatchLoggerWritesTheTypeOfAnObjectThatAValueDoesNotKeep() throws {
    // A test's argument would be read by Swift Testing.
    let written = try written(Visit.past)

    #expect(written == "Visit(guest: Session, host: Optional<Session>, year: 1955)")
  }

  @Test func printingOrDumpingASecretRevealsNoneOfItsContents() {
    let token = Token(text: "s3cret")
    var dumped = ""
    dump(token, to: &dumped)

    #expect("\(token) \(String(reflecting: token)) \([token])" == "••• ••• [•••]")
    #expect(!dumped.contains("s3cret"))
  }

  @Test func dispatchLoggerWritesAStateWithTheNameOfItsType() {
    enum Phrase: DispatchState, CustomStringConvertible {
      typealias RelatedStoreType = PhraseStore

      case hello
      var description: String { "Hello." }
    }
    final class PhraseStore: Storable {
      func reduce(with _: Phrase) {}
    }

    #expect(text { Invoker<Phrase>().invoke(.hello) }.hasPrefix("1 Phrase: Hello. → "))
  }

  /// Returns the text that a logger writes for the value of a state.
  private func written(_ value: any Sendable) throws -> String {
    let line = text { Invoker<ValueState>().invoke(ValueState(value: value)) }
    let start = try #require(line.firstRange(of: "1 ValueState(value: ")).upperBound
    let end = try #require(line.firstRange(of: ") → no store")).lowerBound
    return String(line[start..<end])
  }

  private func text(of dispatch: () -> Void) -> String {
    let text = Text()
    let logger = DispatchLogger(to: text)
    dispatch()
    withExtendedLifetime(logger) {}
    return text.all
  }
}

private struct ValueState: DispatchState {
  typealias RelatedStoreType = ValueStore

  let value: any Sendable
}

private final class ValueStore: Storable {
  func reduce(with _: ValueState) {}
}
