import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher)
struct RecordedFlowTests {
  private let circuits = TimeCircuits()

  @Test func replayOfARecordedFlowProducesTheSameValues() throws {
    let store = ListStore.instantiate()
    for number in 0..<1_000 {
      Invoker<List>().invoke(number % 3 == 2 ? .removeFirst : .add("\(number)"))
    }
    let folder = try TemporaryFolder()
    let file = folder.file("flow.jsonl")
    try RecordedFlow(circuits.events).write(to: file)

    let other = Dispatcher()
    let copy = withDispatcher(other) { ListStore.instantiate() }
    let flow = try RecordedFlow(contentsOf: file, types: [List.self])
    flow.replay(on: other)

    #expect(flow.failure == nil)
    #expect(copy.names.value == store.names.value)
    #expect(copy.names.value.count == 334)
  }

  @Test func recordedFlowReportsADamagedLineAndKeepsEarlierStates() throws {
    let good = try RecordedFlow(events(3)).data()
    let cut = RecordedFlow(data: good.dropLast(10), types: [List.self])
    let bad = RecordedFlow(data: good + Data("{\"type\":1}\n".utf8), types: [List.self])

    #expect(cut.states.count == 2)
    #expect(cut.failure?.line == 3)
    #expect(cut.failure?.description.hasPrefix("Line 3: It is damaged: ") == true)
    #expect(bad.states.count == 3)
    #expect(bad.failure?.line == 4)
  }

  @Test func recordedFlowDoesNotReportASecretInAnErrorOfTheDecoder() {
    let line = #"{"type":"\#(String(reflecting: Refusing.self))","state":{}}"#

    let flow = RecordedFlow(data: Data(line.utf8), types: [Refusing.self])

    #expect(flow.failure?.description == "Line 1: It is damaged: Leak(password: •••)")
  }

  @Test(arguments: ["\n", "\r\n", "  \t\n"])
  func recordedFlowSkipsEmptyLinesAndReportsTheLineNumberInTheFile(empty: String) throws {
    let good = try RecordedFlow(events(2)).data()
    let data = Data(empty.utf8) + good + Data(empty.utf8) + Data("{}\n".utf8)

    let flow = RecordedFlow(data: data, types: [List.self])

    #expect(flow.states.count == 2)
    #expect(flow.failure?.line == 5)
  }

  /// The recorded flow also contains the states that a reduce or an observer has invoked.
  @Test func stateInvokedDuringAReplayIsNotDispatchedTwice() throws {
    let store = ChainStore.instantiate()
    let dusts = DustBuster()
    store.count.observe { if $0 == 1 { Invoker<Chain>().invoke(.add(10)) } }.cleaned(by: dusts)
    Invoker<Chain>().invoke(.begin)
    let flow = try RecordedFlow(circuits.events)
    #expect(store.count.value == 11)
    #expect(flow.states.count == 3)

    let (other, third) = (Dispatcher(), Dispatcher())
    for dispatcher in [other, third] {
      withDispatcher(dispatcher) {
        let copy = ChainStore.instantiate()
        if dispatcher === other {
          copy.count.observe { if $0 == 1 { Invoker<Chain>().invoke(.add(10)) } }.cleaned(by: dusts)
        }
        flow.replay(on: dispatcher)
        #expect(copy.count.value == 11)
        Invoker<Chain>().invoke(.begin)
        #expect(copy.count.value == 12)
      }
    }
  }

  @Test func recordedFlowRefusesTwoStateTypesWithTheSameName() throws {
    Invoker<List>().invoke(.removeFirst)
    OtherFile.dispatchItsList()
    OtherFile.dispatchItsPublicState()
    let events = circuits.events

    let failure = #expect(throws: RecordedFlow.Failure.self) {
      try RecordedFlow(events.prefix(2)).data()
    }
    let reading = try RecordedFlow(
      data: RecordedFlow(events.prefix(1)).data(),
      types: [List.self, OtherFile.list]
    )
    let names = try RecordedFlow(events.suffix(1)).data()

    #expect(
      failure?.description
        == "Line 2: Two types are called FluxCapacitorDebuggingTests.List. Rename one of them."
    )
    #expect(reading.states.isEmpty)
    #expect(reading.failure?.description == failure?.description.replacing("2", with: "1"))
    #expect(
      String(decoding: names, as: UTF8.self)
        == #"{"state":{"only":{}},"type":"FluxCapacitorDebuggingTests.Dispatcher.Published"}"#
        + "\n"
    )
  }

  @Test(arguments: [
    Chain.unlock([Key(code: "s3cret")]),
    .keep(Safe(key: Key(code: "s3cret"))),
    .hide(Pocket(key: Key(code: "s3cret"))),
  ])
  private func recordedFlowRefusesToWriteAStateWithASecret(state: Chain) throws {
    Invoker<Chain>().invoke(state)

    let failure = #expect(throws: RecordedFlow.Failure.self) {
      try RecordedFlow(circuits.events).data()
    }

    #expect(
      failure?.description == """
        Line 1: A FluxCapacitorDebuggingTests.Chain contains a secret. Leave such states out.
        """
    )
  }

  /// Each content reaches the file only through the encoder, because mirrors don't look into objects.
  @Test(arguments: [
    Parcel(Badge.secret), Parcel(Box([Badge.secret: 1])), Parcel(Box(["a": [[Badge.secret: 1]]])),
    Parcel(Box(Badge?.some(.secret))), Parcel(Box([1: Badge.secret])), Parcel(Teller()),
    Parcel(Heir()), Parcel(Reader()), Parcel(Hider()), Parcel([Hider?.some(Hider())]),
    Parcel(Forgetful()), Parcel(Holder(badges: [1: .secret].values)),
    Parcel(Writer { try $0.singleValueContainer().encoding(Badge.secret) }),
    Parcel(Writer { try $0.unkeyedContainer().superEncoding(Badge.secret) }),
    Parcel(Writer { $0.unkeyedContainer().trying(Badge.secret) }),
    Parcel(
      Writer { encoder in
        var container = encoder.container(keyedBy: Badge.self)
        try container.encode(1, forKey: .secret)
      }
    ),
    Parcel(
      Writer { encoder in
        var outer = encoder.container(keyedBy: Parcel.Keys.self)
        var inner = outer.nestedContainer(keyedBy: Parcel.Keys.self, forKey: .content)
        try inner.encode(Badge.secret, forKey: .content)
      }
    ),
  ])
  private func recordedFlowRefusesASecretWhereverItIsEncoded(parcel: Parcel) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("flow.jsonl")
    Invoker<Parcel>().invoke(parcel)

    let failure = #expect(throws: RecordedFlow.Failure.self) {
      try RecordedFlow(circuits.events).write(to: file)
    }

    #expect(
      failure?.description == """
        Line 1: A FluxCapacitorDebuggingTests.Parcel contains a secret. Leave such states out.
        """
    )
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  /// The search for a secret ends without a result.
  @Test func recordedFlowRefusesAStateWhoseMirrorContainsItself() {
    Invoker<Parcel>().invoke(Parcel(Endless()))

    let failure = #expect(throws: RecordedFlow.Failure.self) {
      try RecordedFlow(circuits.events).data()
    }

    #expect(
      failure?.description == """
        Line 1: Its Codable conformance throws: It has too many parts for a search for secrets, or a \
        mirror of itself.
        """
    )
  }

  @Test func recordedFlowNamesTheLimitOfAStateThatIsNestedTooDeep() {
    Invoker<Parcel>().invoke(Parcel((0..<300).reduce(Tree()) { tree, _ in Tree(branches: [tree]) }))

    let failure = #expect(throws: RecordedFlow.Failure.self) {
      try RecordedFlow(circuits.events).data()
    }

    #expect(
      failure?.description == """
        Line 1: Its Codable conformance throws: A FluxCapacitorDebuggingTests.Parcel is nested too deep: \
        `JSONEncoder` refuses 512 levels of objects and arrays. Leave such states out.
        """
    )
  }

  /// A stack couldn't hold all levels.
  @Test func recordedFlowRefusesAStateWithManyLevelsAtTheLimit() {
    Invoker<Parcel>().invoke(
      Parcel((0..<3_000).reduce(Tree()) { tree, _ in Tree(branches: [tree]) })
    )

    let failure = #expect(throws: RecordedFlow.Failure.self) {
      try RecordedFlow(circuits.events).data()
    }

    #expect(failure?.description.contains("is nested too deep") == true)
  }

  @Test func eachLevelOfAStateIsSearchedOnce() throws {
    Invoker<Parcel>().invoke(Parcel((0..<40).reduce(Level()) { level, _ in Level(level) }))

    let former = Level.searches.entries.count
    _ = try RecordedFlow(circuits.events).data()

    #expect(Level.searches.entries.count - former < 2 * 41)
  }

  @Test func failureTextContainsNeitherSecretsNorTheWholeValue() throws {
    let whole = Parcel(["not secret": "but long"])
    let context = EncodingError.Context(codingPath: [Badge.secret], debugDescription: "It's odd.")
    let errors: [any Error] = [
      EncodingError.invalidValue(whole, context), BadgeError(badge: .secret),
      BadgeError.Described(badge: .secret),
    ]
    for error in errors {
      Invoker<Parcel>().invoke(Parcel(Writer { _ in throw error }))
      let failure = try #require(
        #expect(throws: RecordedFlow.Failure.self) {
          try RecordedFlow(circuits.events.suffix(1)).data()
        }
      )

      #expect(failure.description.hasPrefix("Line 1: Its Codable conformance throws: "))
      for text in ["s3cret", "but long"] { #expect(!failure.description.contains(text)) }
      if error is EncodingError { #expect(failure.description.hasSuffix("It's odd.")) }
    }
  }

  @Test func valuesWithoutSecretsAreWrittenAsByJSONEncoder() throws {
    let contents: [any Encodable & Sendable] = [
      Data([1, 2]), Date(timeIntervalSinceReferenceDate: 0.5), Decimal(1) / 3, true, 1.5 as Float,
      UInt64.max, Int?.none, [Int?.none, 2], ["b": [1], "a": [2]], [3: URL(filePath: "/a b")],
      Box(["a": Optional("é/\"")]), Base(), Derived(),
      Writer { try $0.unkeyedContainer().superEncoding("a") }, Wide(),
      Writer { encoder in
        var container = encoder.unkeyedContainer()
        try container.encode(Int128.min)
        try container.encode(UInt128.max)
      },
      Writer { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(Int128.min)
      },
      Writer { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(UInt128.max)
      },
    ]
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for content in contents {
      Invoker<Parcel>().invoke(Parcel(content))

      let data = try RecordedFlow(circuits.events.suffix(1)).data()

      let text = String(decoding: try encoder.encode(["state": Parcel(content)]), as: UTF8.self)
      #expect(String(decoding: data, as: UTF8.self).hasPrefix(text.dropLast()))
    }
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 0.1])
  func numberThatJSONLacksIsWrittenAndRead(number: Double) throws {
    Invoker<Chain>().invoke(.measured(number))

    let data = try RecordedFlow(circuits.events).data()
    let flow = RecordedFlow(data: data, types: [Chain.self])

    #expect(flow.failure == nil)
    guard case .measured(let read) = flow.states.first as? Chain else {
      Issue.record("\(flow.states)")
      return
    }
    #expect(read == number || read.isNaN && number.isNaN)
  }

  @Test func decimalNaNIsNotWritten() {
    Invoker<Chain>().invoke(.priced(.nan))

    #expect(throws: RecordedFlow.Failure.self) { try RecordedFlow(circuits.events).data() }
  }

  @Test func recordedFlowReportsAStateThatFailsToEncode() throws {
    Invoker<Chain>().invoke(.refused(Refusal()))

    let failure = try #require(
      #expect(throws: RecordedFlow.Failure.self) { try RecordedFlow(circuits.events).data() }
    )

    #expect(failure.description.hasPrefix("Line 1: Its Codable conformance throws: "))
  }

  @Test func recordedFlowReportsAStateTypeThatWasNotPassed() throws {
    let flow = RecordedFlow(data: try RecordedFlow(events(1)).data(), types: [])

    #expect(flow.states.isEmpty)
    #expect(
      flow.failure?.description == """
        Line 1: FluxCapacitorDebuggingTests.List is not among the types that were passed. Pass it too.
        """
    )
  }

  @Test func recordedFlowReportsAStateThatIsNotCodable() throws {
    Invoker<List>().invoke(.removeFirst)
    CounterAction().invoke(.leaveAlone)

    let failure = #expect(throws: RecordedFlow.Failure.self) {
      try RecordedFlow(circuits.events)
    }

    #expect(failure?.line == 2)
    #expect(
      failure?.description.contains("is not Codable. Make it so, or leave its states out.") == true
    )
  }

  private func events(_ count: Int) -> [DispatchEvent] {
    for number in 0..<count { Invoker<List>().invoke(.add("\(number)")) }
    return circuits.events
  }
}

private enum List: DispatchState, Codable {
  typealias RelatedStoreType = ListStore

  case add(String)
  case removeFirst
}

private final class ListStore: Storable {
  var names: Constant<[String]> { _names.constant }
  private let _names = Variable<[String]>([])

  func reduce(with state: List) {
    switch state {
    case .add(let name): _names.value.append(name)
    case .removeFirst: if !_names.value.isEmpty { _names.value.removeFirst() }
    }
  }
}

private enum Chain: DispatchState, Codable {
  typealias RelatedStoreType = ChainStore

  case begin
  case add(Int)
  case measured(Double)
  case priced(Decimal)
  case refused(Refusal)
  case unlock([Key])
  case keep(Safe)
  case hide(Pocket)
}

/// A value that refuses to be encoded.
private struct Refusal: Codable {
  struct Reason: Error {}

  init() {}

  init(from _: any Decoder) throws { throw Reason() }

  func encode(to _: any Encoder) throws { throw Reason() }
}

private struct Key: Secret, Codable {
  let code: String
}

private struct Endless: Codable, CustomReflectable {
  var year = 1985
  var customMirror: Mirror { Mirror(self, children: ["itself": self]) }
}

/// An object that encodes a property that its description doesn't show.
private final class Safe: Codable, Sendable {
  private let key: Key?

  init(key: Key) {
    self.key = key
  }
}

/// A value that encodes a property that its mirror doesn't show.
private struct Pocket: Codable, CustomReflectable {
  let key: Key

  var customMirror: Mirror { Mirror(self, children: []) }
}

private final class ChainStore: Storable {
  var count: Constant<Int> { _count.constant }
  private let _count = Variable(0)

  func reduce(with state: Chain) {
    switch state {
    case .begin: Invoker<Chain>().invoke(.add(1))
    case .add(let amount): _count.value += amount
    case .measured, .priced, .refused, .unlock, .keep, .hide: break
    }
  }
}

/// A state with any content.
private struct Parcel: DispatchState, Codable {
  typealias RelatedStoreType = ParcelStore

  enum Keys: CodingKey { case content }

  let content: any Encodable & Sendable

  init(_ content: any Encodable & Sendable) { self.content = content }

  init(from _: any Decoder) throws { throw Refusal.Reason() }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content)
  }
}

private final class ParcelStore: Storable {
  func reduce(with _: Parcel) {}
}

/// A secret that is also a key of dictionaries and containers.
private struct Badge: Secret, Codable, Hashable, CodingKeyRepresentable, CodingKey {
  static let secret = Badge(stringValue: "s3cret")

  let stringValue: String
  var description: String { "•••" }
  var debugDescription: String { "•••" }
  var intValue: Int? { nil }
  var codingKey: any CodingKey { self }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue _: Int) { nil }

  init?(codingKey: some CodingKey) { self.init(stringValue: codingKey.stringValue) }
}

private struct BadgeError: Error {
  struct Described: Error, CustomStringConvertible {
    let badge: Badge
    var description: String { badge.stringValue }
  }

  let badge: Badge
}

private final class Box<Content: Codable & Sendable>: Encodable, Sendable {
  private let content: Content

  init(_ content: Content) { self.content = content }
}

/// An object that encodes itself with a closure.
private final class Writer: Encodable, Sendable {
  private let write: @Sendable (any Encoder) throws -> Void

  init(_ write: @escaping @Sendable (any Encoder) throws -> Void) { self.write = write }

  func encode(to encoder: any Encoder) throws { try write(encoder) }
}

/// An object that encodes the text of its secret.
private final class Teller: Encodable, Sendable {
  private let badge: [Badge?] = [.secret]

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(badge[0]?.stringValue)
  }
}

/// A value that encodes the text of a secret in an object.
private struct Reader: Encodable {
  private let teller: (Teller, Int) = (Teller(), 1)

  func encode(to encoder: any Encoder) throws {
    try encoder.singleValueContainer().encoding("s3cret")
  }
}

/// A value that encodes the text of a secret that its mirror doesn't show.
private struct Hider: Encodable, CustomReflectable {
  private let badge: Badge? = .secret
  var customMirror: Mirror { Mirror(self, children: []) }

  func encode(to encoder: any Encoder) throws {
    try encoder.singleValueContainer().encoding("s3cret")
  }
}

/// A value that encodes the text of a secret that it doesn't keep.
private struct Forgetful: Encodable, @unchecked Sendable {
  final class Pass: Secret, Sendable {}

  weak var pass: Pass?

  func encode(to encoder: any Encoder) throws {
    try encoder.singleValueContainer().encoding("s3cret")
  }
}

/// A value that encodes the texts of secrets that no mirror shows.
private struct Holder: Encodable {
  let badges: Dictionary<Int, Badge>.Values

  func encode(to encoder: any Encoder) throws {
    try encoder.singleValueContainer().encoding(badges.map(\.stringValue))
  }
}

/// A value that notes the searches in it.
private struct Level: Encodable, CustomReflectable {
  static let searches = Log<Int>()

  private let inner: [Level]

  init(_ inner: Level...) { self.inner = inner }

  var customMirror: Mirror {
    Level.searches.append(inner.count)
    return Mirror(self, children: [])
  }

  func encode(to encoder: any Encoder) throws {
    try encoder.singleValueContainer().encoding(inner)
  }
}

private struct Tree: Encodable {
  var branches: [Tree] = []
}

private struct Wide: Encodable {
  let number = Int128.min
  let count = UInt128.max
}

private class Base: Encodable, @unchecked Sendable {
  let number = 1
}

private final class Derived: Base, @unchecked Sendable {
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Parcel.Keys.self)
    try container.encode([2], forKey: .content)
    try super.encode(to: container.superEncoder())
  }
}

private class Ancestor: Encodable, @unchecked Sendable {
  let badges = [Badge.secret: 1]
}

private final class Heir: Ancestor, @unchecked Sendable {}

extension SingleValueEncodingContainer {
  fileprivate func encoding(_ value: some Encodable) throws {
    var container = self
    try container.encode(value)
  }
}

extension UnkeyedEncodingContainer {
  fileprivate func superEncoding(_ value: some Encodable) throws {
    var container = self
    try value.encode(to: container.superEncoder())
    try container.superEncoder().singleValueContainer().encoding(value)
  }

  /// Ignores the error for a refused value.
  fileprivate func trying(_ value: some Encodable) {
    var container = self
    try? container.encode(value)
  }
}

/// A state whose decoder throws an error that shows a secret.
struct Refusing: Codable, DispatchState {
  typealias RelatedStoreType = RefusingStore

  init(from decoder: any Decoder) throws { throw Leak() }
}

struct Leak: Error, CustomStringConvertible {
  struct Password: Secret {
    let text = "s3cret"
  }

  let password = Password()
  var description: String { password.text }
}

final class RefusingStore: Storable {
  func reduce(with _: Refusing) {}
}
