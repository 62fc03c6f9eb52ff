import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Synchronization
import Testing

/// When two values count as the same: a test may pass only if they are.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SamenessTests {
  /// Values of random shapes, built twice from the same description or from two descriptions that differ in one place.
  @Test func twoValuesAreTheSameExactlyIfTheirDescriptionsAre() async {
    var random = SplitMix(seed: 1)
    for _ in 0..<(isThorough ? 20_000 : 1_000) {
      let model = Model.random(depth: 3, using: &random)
      var other = model
      if Bool.random(using: &random) { other.change(using: &random) }

      let differences = await failures {
        expectStates {
          Anything.hold(model.value)
        } when: {
          invoke(other.value)
        }
      }

      #expect(differences.isEmpty == (model == other), "\(model) and \(other)")
    }
  }

  @Test func casesWithoutPayloadDiffer() async {
    #expect(await areTheSame(Mode.idle, Mode.idle))
    #expect(await !areTheSame(Mode.idle, Mode.running))
    #expect(await !areTheSame(Mode.idle, Mode.failed(Opaque(number: 1))))
  }

  /// A cast of one value to the type of the other one succeeds.
  @Test(
    arguments: [
      (5, Int?.some(5)), ([Int](), [String]()), (Int?.none, String?.none), (1, 1 as Double),
      (["age": 5], ["age": Int?.some(5)]), (NSNumber(1), 1), (NSNumber(1), true),
      (Double.nan, Double?.some(.nan)), (Maybe(content: 5), Maybe(content: .some(Int?.some(5)))),
      (Maybe(content: Double.nan), Maybe(content: .some(Double?.some(.nan)))),
      ([5] as [any Sendable], [Int?.some(5)] as [any Sendable]), ("a", Substring("a")),
      (["age": 5] as [String: any Sendable], ["age": Int?.some(5)] as [String: any Sendable]),
      ((any Sendable)?.some(5), (any Sendable)?.some(Int?.some(5))),
    ] as [(any Sendable, any Sendable)]
  )
  private func valuesOfTwoTypesDiffer(first: any Sendable, second: any Sendable) async {
    #expect(await !areTheSame(first, second))
    #expect(await !areTheSame(second, first))
    #expect(await areTheSame(first, first))
    #expect(await areTheSame(second, second))
    let tester = StoreTester(HoldStore.self)
    let failure = await failure {
      tester.invoke(.hold(first)) { Change(\.content, to: second) }
      tester.invoke(.hold(0)) { Change(\.content, to: 0) }
    }
    #expect(failure.contains("✗"))
  }

  @Test func functionIsTheSameOnlyAsItsCopies() async {
    struct Alarm { let (ring, year): (@Sendable () -> Int, Int) }
    let (ring, other): (@Sendable () -> Int, @Sendable () -> Int) = ({ 88 }, { 1985 })
    let alarm = Alarm(ring: ring, year: 1955)

    #expect(await areTheSame(alarm, alarm))
    #expect(await areTheSame(alarm, Alarm(ring: alarm.ring, year: 1955)))
    #expect(await !areTheSame(alarm, Alarm(ring: other, year: 1955)))
    #expect(await !areTheSame(AsyncStream<Int> { _ in }, AsyncStream<Int> { _ in }))
    let failure = await failure {
      expectStates {
        Anything.hold(alarm)
      } when: {
        invoke(Alarm(ring: other, year: 1955))
      }
    }
    #expect(failure.contains("() -> Int is the same only as its copies"))
  }

  /// The `==` of a class also compares objects of its subclasses.
  @Test func objectsOfAClassAndItsSubclassAreTheSameIfTheyAreEqual() async {
    #expect(await areTheSame(Year(1955), Year(1955)))
    #expect(await areTheSame(Year(1955), LeapYear(1955)))
    #expect(await !areTheSame(Year(1955), LeapYear(1956)))
  }

  @Test func objectsThatCompareTheirIdentitiesDifferEvenWithNaNs() async {
    let unit = Unit(.nan)
    struct Holder: Equatable {
      let object: Linked
      let number = Double.nan
      static func == (first: Self, second: Self) -> Bool {
        first.object === second.object && first.number == second.number
      }
    }
    let list = Linked(1)

    #expect(await areTheSame(unit, unit))
    #expect(await !areTheSame(unit, Unit(.nan)))
    #expect(await !areTheSame(Hidden(Unit?.some(unit)), Hidden(Unit?.some(Unit(.nan)))))
    #expect(await areTheSame(Holder(object: list), Holder(object: list)))
    #expect(await !areTheSame(Holder(object: list), Holder(object: Linked(1))))
  }

  @Test func secretsThatAreNotEquatableAreRefusedWithASentence() async {
    struct Token: Secret { let text: String }
    struct Session { let token: Token? }

    let failure = await failure {
      expectStates {
        Anything.hold(Session(token: Token(text: "a")))
      } when: {
        invoke(Session(token: Token(text: "b")))
      }
    }

    #expect(failure.contains("Token is a Secret and isn't Equatable"))
    #expect(failure.contains("Make Token Equatable."))
    #expect(await areTheSame(Session(token: nil), Session(token: nil)))
    #expect(await !areTheSame(Token(text: "a"), Token(text: "a")))
  }

  @Test func equatableSecretsAreCompared() async {
    struct Token: Secret, Equatable { let text: String }

    #expect(await areTheSame(Token(text: "a"), Token(text: "a")))
    #expect(await !areTheSame(Token(text: "a"), Token(text: "b")))
  }

  @Test func mirrorsThatCanHidePartsAreRefusedWithASentence() async {
    struct Short: CustomReflectable {
      let (shown, hidden): (Int, Int)
      var customMirror: Mirror { Mirror(self, children: ["shown": shown]) }
    }

    let failure = await failure {
      expectStates {
        Anything.hold(Short(shown: 1, hidden: 1))
      } when: {
        invoke(Short(shown: 1, hidden: 2))
      }
    }

    #expect(failure.contains("Short has a mirror of its own and isn't Equatable"))
  }

  @Test func mirrorsThatLookLikeThoseOfOptionalsAreRefused() async {
    struct Hidden: CustomReflectable {
      let number: Int
      var hasContent = false

      var customMirror: Mirror {
        Mirror(self, children: hasContent ? ["some": self] : [:], displayStyle: .optional)
      }
    }

    #expect(await !areTheSame(Hidden(number: 1), Hidden(number: 2)))
    #expect(await !areTheSame([Hidden(number: 1)], [Hidden(number: 2)]))
    #expect(await !areTheSame(Hidden?.some(Hidden(number: 1)), Hidden?.some(Hidden(number: 2))))
    let (first, second) = (Hidden(number: 1, hasContent: true), Hidden(number: 2, hasContent: true))
    #expect(await !areTheSame(first, second))
  }

  @Test func objectsThatHidePartsAreTheSameOnlyIfTheyAreOneObject() async {
    let (locked, token) = (Guarded(1), Token())

    #expect(await areTheSame(locked, locked))
    #expect(await !areTheSame(locked, Guarded(2)))
    #expect(await !areTheSame(Pair(first: locked, second: 1), Pair(first: Guarded(2), second: 1)))
    #expect(await areTheSame(token, token))
    #expect(await !areTheSame(token, Token()))
    let failure = await failure {
      expectStates {
        Anything.hold(locked)
      } when: {
        invoke(Guarded(1))
      }
    }
    #expect(failure.contains("Guarded hides parts and isn't Equatable"))
  }

  @Test func buffersAreTheSameOnlyIfTheyAreOneObject() async {
    func buffer() -> Hidden<ManagedBuffer<Int, Int>> {
      Hidden(Buffer.create(minimumCapacity: 1) { _ in 1 })
    }
    let first = buffer()

    #expect(await areTheSame(first, first))
    #expect(await !areTheSame(first, buffer()))
  }

  @Test func unownedObjectsAreNotRead() async {
    func visit(_ year: Int) -> Visit {
      let host = Token()
      return Visit(host: host, year: year)
    }
    func guest() -> Guest {
      let host = Token()
      return Guest(host: host)
    }
    let past = visit(1955)

    #expect(await areTheSame(past, past))
    #expect(await !areTheSame(past, visit(1985)))
    #expect(await !areTheSame(guest(), guest()))
  }

  @Test func viewsOfADictionaryAreTheSameOnlyIfTheyAreOfOneDictionary() async {
    func values(_ number: Int) -> [Int: Opaque].Values { [1: Opaque(number: number)].values }
    let first = values(1)

    #expect(await areTheSame(first, first))
    #expect(await !areTheSame(first, values(2)))
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func inlineArraysAreTheSameOnlyIfTheirBytesAre() async {
    let array: InlineArray<3, Int> = [1, 2, 3]

    #expect(await areTheSame(array, [1, 2, 3] as InlineArray<3, Int>))
    #expect(await !areTheSame(array, [1, 2, 4] as InlineArray<3, Int>))
  }

  /// Types of the standard library whose mirrors have no parts, or have them in an order.
  @Test func valuesOfTheStandardLibraryWithoutPartsAreTheSameOnlyIfTheirBytesAre() async {
    let (name, empty): (StaticString, StaticString) = ("a", "")
    let pairs: KeyValuePairs = ["a": 1, "b": 2]
    let (first, second) = (Set([1]), Set([2]))

    #expect(await areTheSame(name, name))
    #expect(await !areTheSame(name, "b" as StaticString))
    #expect(await !areTheSame(name, empty))
    #expect(await areTheSame(pairs, ["a": 1, "b": 2] as KeyValuePairs))
    #expect(await !areTheSame(pairs, ["b": 2, "a": 1] as KeyValuePairs))
    #expect(await !areTheSame("a".utf8, "b".utf8))
    #expect(await !areTheSame(Hidden(first.makeIterator()), Hidden(second.makeIterator())))
    #expect(await !areTheSame(Hidden(AnySequence([1])), Hidden(AnySequence([2]))))
    #expect(await !areTheSame(Hidden(Mirror(reflecting: 1)), Hidden(Mirror(reflecting: 2))))
  }

  /// On Linux, this C struct has anonymous unions, which no mirror shows.
  @Test func structsOfCAreTheSameOnlyIfAllTheirMembersAre() async {
    let usage = rusage()
    var other = usage
    #expect(await areTheSame(usage, other))

    other.ru_maxrss = 1

    #expect(await !areTheSame(usage, other))
  }

  @Test func valuesWithTooManyLevelsAreRefusedWithASentence() async {
    func list(_ count: Int) -> Linked {
      let first = Linked(0)
      var last = first
      for number in 1..<count {
        let next = Linked(number)
        last.next = next
        last = next
      }
      return first
    }

    #expect(await areTheSame(list(40), list(40)))
    let failure = await failure {
      expectStates {
        Anything.hold(list(5_000))
      } when: {
        invoke(list(5_000))
      }
    }

    #expect(failure.contains("Linked has more than 50 levels of parts and isn't Equatable"))
    #expect(await !areTheSame(Chain(length: 5_000), Chain(length: 5_000)))
  }

  @Test func equatableValuesWithManyLevelsAreCompared() async {
    #expect(await areTheSame(EquatableChain(length: 5_000), EquatableChain(length: 5_000)))
    #expect(await !areTheSame(EquatableChain(length: 5_000), EquatableChain(length: 5_001)))
  }

  @Test func listsWithMirrorsOfTheirOwnAreRefused() async {
    struct Ordered: CustomReflectable {
      let pairs: [(key: String, value: Opaque)]
      var customMirror: Mirror {
        Mirror(self, unlabeledChildren: pairs, displayStyle: .dictionary)
      }
    }
    let (first, second) = (("a", Opaque(number: 1)), ("b", Opaque(number: 2)))

    #expect(await !areTheSame(Ordered(pairs: [first, second]), Ordered(pairs: [second, first])))
  }

  @Test func relaxedTesterExpectsTheChangesOfADerivedConstantInTheirOrder() async {
    let tester = StoreTester(LampStore.self, .relaxed)

    func expect(_ shades: String...) async {
      await tester.expect {
        for shade in shades { Change(\.shade, to: shade) }
      } when: {
        tester.store.paint("red")
        tester.store.paint("blue")
      }
    }

    let failure = await failure { await expect("b", "r") }

    #expect(failure.contains("the changes were expected in another order: shade, shade"))
    await expect("r", "b")
  }

  @Test func exactTesterExpectsAnyOfTheChangesOfADerivedConstantInTheirOrder() async {
    let tester = StoreTester(LampStore.self)

    func expect(_ shades: String...) async {
      await tester.expect {
        for color in ["red", "blue"] { Change(\.color, to: color) }
        for shade in shades { Change(\.shade, to: shade) }
      } when: {
        tester.store.paint("red")
        tester.store.paint("blue")
      }
      tester.store.paint("white")
    }

    await expect()
    await expect("r")
    await expect("b")
    await expect("r", "b")
    for shades in [("b", "r"), ("b", "b"), ("r", "g")] {
      _ = await failure { await expect(shades.0, shades.1) }
    }
  }

  @Test func objectsThatReferToEachOtherAreCompared() async {
    func ring(_ number: Int) -> Linked {
      let (first, second) = (Linked(1), Linked(number))
      (first.next, second.next) = (second, first)
      return first
    }

    #expect(await areTheSame(ring(2), ring(2)))
    #expect(await !areTheSame(ring(2), ring(3)))
  }

  @Test func relaxedTesterFindsTheListedChangesAmongEqualOnes() async {
    let store = LampStore.instantiate()
    let tester = StoreTester(store, .relaxed)

    tester.invoke(.blink) {
      Change(\.color, to: "red")
      Change(\.isOn, to: true)
    }
    let failure = await failure {
      tester.invoke(.blink) {
        Change(\.color, to: "red")
        Change(\.color, to: "red")
        Change(\.isOn, to: true)
      }
    }

    #expect(failure.contains("✗"))
  }

  private func areTheSame(_ first: any Sendable, _ second: any Sendable) async -> Bool {
    await failures {
      expectStates {
        Anything.hold(first)
      } when: {
        invoke(second)
      }
    }.isEmpty
  }

  private func invoke(_ value: any Sendable) { Dispatcher.shared.dispatch(Anything.hold(value)) }
}

// MARK: - Values of random shapes

/// The description of a value. Two descriptions are equal exactly if their values are the same.
private struct Model: Hashable {
  enum Kind: CaseIterable {
    case number, text, mode, failure, pair, optional, list, table, set, object, subclass, described,
      secret
  }

  var kind: Kind
  var number: Int
  var parts: [Model] = []

  static func random(depth: Int, using random: inout SplitMix) -> Model {
    let kinds = depth == 0 ? [.number, .text, .mode, .described, .secret] : Kind.allCases
    let kind = kinds[Int.random(in: kinds.indices, using: &random)]
    let (numbers, parts) = kind.limits
    let count = Int.random(in: parts, using: &random)
    return Model(
      kind: kind,
      number: Int.random(in: 0..<numbers, using: &random),
      parts: (0..<count).map { _ in .random(depth: depth - 1, using: &random) }
    )
  }

  /// Changes one place of the description.
  mutating func change(using random: inout SplitMix) {
    if !parts.isEmpty, Bool.random(using: &random) {
      parts[Int.random(in: parts.indices, using: &random)].change(using: &random)
    } else {
      self = .random(depth: 1, using: &random)
    }
  }

  var value: any Sendable {
    let values = parts.map(\.value)
    return switch kind {
    case .number: [0, 1, -1, Double.nan, .infinity][number]
    case .text: ["", "a", "b"][number]
    case .mode: number == 0 ? Mode.idle : .running
    case .failure: Mode.failed(values[0])
    case .pair: Pair(first: values[0], second: values[1])
    case .optional: Maybe(content: values.first)
    case .list: values
    case .table: Dictionary(uniqueKeysWithValues: values.enumerated().map { ("\($0)", $1) })
    case .set: Set([[0, 1], [0, .nan], [.nan]][number] as [Double])
    case .object: Object(values[0])
    case .subclass: Subclass(values[0], number)
    case .described: number == 0 ? Described.left : number == 1 ? .right : .both(Opaque(number: 1))
    case .secret: Password(text: "\(number)")
    }
  }
}

extension Model.Kind {
  /// The number of numbers, and the numbers of parts.
  fileprivate var limits: (numbers: Int, parts: ClosedRange<Int>) {
    switch self {
    case .number: (5, 0...0)
    case .text, .described, .set: (3, 0...0)
    case .mode, .secret: (2, 0...0)
    case .failure, .object: (1, 1...1)
    case .subclass: (2, 1...1)
    case .pair: (1, 2...2)
    case .optional: (1, 0...1)
    case .list, .table: (1, 0...3)
    }
  }
}

private struct Opaque: Sendable {
  let number: Int
}

private enum Mode {
  case idle, running
  case failed(any Sendable)
}

private enum Described: CustomStringConvertible {
  case left, right
  case both(Opaque)

  var description: String { "described" }
}

private struct Pair: Sendable {
  let first: any Sendable
  let second: any Sendable
}

private struct Maybe: Sendable {
  let content: (any Sendable)?
}

private class Object: @unchecked Sendable {
  let content: any Sendable

  init(_ content: any Sendable) { self.content = content }
}

private final class Subclass: Object, @unchecked Sendable {
  let number: Int

  init(_ content: any Sendable, _ number: Int) {
    self.number = number
    super.init(content)
  }
}

private final class Guarded: Sendable {
  let number: Mutex<Int>

  init(_ number: Int) { self.number = Mutex(number) }
}

private final class Token: Sendable {}

private final class Buffer: ManagedBuffer<Int, Int> {}

private class Year: @unchecked Sendable, Equatable {
  let number: Int

  init(_ number: Int) { self.number = number }

  static func == (first: Year, second: Year) -> Bool { first.number == second.number }
}

private final class LeapYear: Year, @unchecked Sendable {}

private final class Unit: Sendable, Equatable {
  let number: Double

  init(_ number: Double) { self.number = number }

  static func == (first: Unit, second: Unit) -> Bool { first === second }
}

private struct Visit: @unchecked Sendable {
  unowned let host: Token
  let year: Int
}

private final class Guest: Sendable {
  unowned let host: Token
  init(host: Token) { self.host = host }
}

private final class Linked: @unchecked Sendable {
  let number: Int
  var next: Linked?

  init(_ number: Int) { self.number = number }
}

private struct Hidden<Content>: @unchecked Sendable {
  let content: Content

  init(_ content: Content) { self.content = content }
}

private indirect enum Chain: Sendable {
  case end
  case link(Chain)

  init(length: Int) { self = (0..<length).reduce(.end) { chain, _ in .link(chain) } }
}

private indirect enum EquatableChain: Sendable, Equatable {
  case end
  case link(EquatableChain)

  init(length: Int) { self = (0..<length).reduce(.end) { chain, _ in .link(chain) } }
}

private struct Password: Secret, Hashable {
  let text: String
}

// MARK: - A state that holds a value

private struct Anything: DispatchState {
  typealias RelatedActionType = HoldAction
  typealias RelatedStoreType = HoldStore

  let value: any Sendable

  static func hold(_ value: any Sendable) -> Anything { Anything(value: value) }
}

private struct HoldAction: Actionable {
  typealias DispatchStateType = Anything
}

private final class HoldStore: Storable {
  typealias DispatchStateType = Anything

  let content = Variable<any Sendable>(0)

  required init() {}

  func reduce(with state: Anything) { content.value = state.value }
}

private enum Lamp: DispatchState {
  typealias RelatedActionType = LampAction
  typealias RelatedStoreType = LampStore

  case blink
}

private struct LampAction: Actionable {
  typealias DispatchStateType = Lamp
}

private final class LampStore: Storable {
  typealias DispatchStateType = Lamp

  let isOn = Variable(false)
  let color = Variable("white")
  let shade: Constant<String>

  required init() { shade = color.map { String($0.prefix(1)) } }

  func paint(_ color: String) { self.color.value = color }

  func reduce(with _: Lamp) {
    color.value = "white"
    isOn.value = true
    color.value = "red"
    isOn.value = false
    isOn.value = true
  }
}
