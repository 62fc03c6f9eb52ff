import FluxCapacitor
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct StoreTesterTests {
  private let tester = StoreTester(SearchStore.self)
  private let bag = DustBuster()

  @Test func storeTesterPassesWhenExactlyTheExpectedChangesArriveInOrder() {
    tester.invoke(.isSearching(true)) {
      Change(\.isSearching, to: true)
      Change.named("searches", to: 1)
    }
    tester.invoke(.found(["a", "b"])) {
      Change(\.results, to: ["a", "b"])
      Change(\.isSearching, to: false)
    }
    tester.invoke(.found(["a", "b"]))
  }

  @Test func storeTesterOfAnUnregisteredStoreFails() async {
    let tester = StoreTester(SearchStore())

    let failure = await failure { tester.invoke(.isSearching(false)) }

    #expect(failure == "This SearchStore gets no states, because it isn't registered.")
  }

  @Test func changeThatIsNotDeliveredFailsTheTest() async {
    let inTransaction = await failure {
      Dispatcher.shared.transaction { tester.invoke(.found(["a"])) }
    }
    let inRead = await failure {
      Dispatcher.shared.read { tester.invoke(.found(["b"])) }
    }
    let inObserver = await failure {
      tester.store.results.observe(ignoreFirst: true) { results in
        if results == ["c"] { tester.invoke(.found(["d"])) }
      }.cleaned(by: bag)
      Dispatcher.shared.dispatch(Dispatcher.Search.found(["c"]))
    }

    #expect(inTransaction.contains("a change of results isn't delivered yet"))
    #expect(inRead.contains("waits for the end of a reduce, a modify or a read."))
    #expect(inObserver.contains("a change of results isn't delivered yet"))
  }

  /// The last value equals the first one, and the observer runs until the test has compared.
  @Test func changeThereAndBackThatIsNotDeliveredFailsTheTest() async {
    let inObserver = await failure {
      let dust = tester.store.results.observe(ignoreFirst: true) { [bag] _ in
        bag.clean()
        tester.expect {
        } when: {
          SearchAction().invoke(.found(["d"]))
          SearchAction().invoke(.found(["c"]))
        }
      }
      dust.cleaned(by: bag)
      Dispatcher.shared.dispatch(Dispatcher.Search.found(["c"]))
    }

    #expect(inObserver.contains("isn't delivered yet"))
  }

  @Test func changesOfAnOperationThatThrowsAreCompared() async {
    let synchronous = await failure {
      #expect(throws: CancellationError.self) {
        try tester.expect {
        } when: {
          SearchAction().invoke(.found(["a"]))
          throw CancellationError()
        }
      }
    }
    let asynchronous = await failure {
      await #expect(throws: CancellationError.self) {
        try await tester.expect {
        } when: {
          SearchAction().invoke(.found(["b"]))
          await Task.yield()
          throw CancellationError()
        }
      }
    }

    #expect(synchronous.contains("which was not expected"))
    #expect(asynchronous.contains("which was not expected"))
  }

  @Test func hintOfARelaxedTesterInATransactionNamesTheChangeThatIsNotDelivered() async {
    let tester = StoreTester(SearchStore.self, .relaxed)

    let failure = await failure {
      Dispatcher.shared.transaction {
        tester.invoke(.found(["a"])) { Change(\.results, to: ["a"]) }
      }
    }

    #expect(failure.contains("a change of results isn't delivered yet"))
    #expect(!failure.contains("settled()"))
  }

  @Test func expectationsAreEvaluatedBeforeTheStateOrTheOperation() {
    let store = tester.store

    tester.invoke(.isSearching(true)) {
      Change(\.isSearching, to: !store.isSearching.value)
      Change.named("searches", to: 1)
    }
    tester.expect {
      Change(\.results, to: store.results.value + ["a"])
      Change(\.isSearching, to: !store.isSearching.value)
    } when: {
      SearchAction().invoke(.found(["a"]))
    }
  }

  @Test func expectationsAreEvaluatedBeforeAnAwaitedOperation() async {
    let store = tester.store

    await tester.expect {
      Change(\.results, to: store.results.value + ["a"])
    } when: {
      await Task.yield()
      SearchAction().invoke(.found(["a"]))
    }
  }

  @Test func changeOfAConstantThatIsCreatedAnewFailsWithARemedy() async {
    let line = UInt(#line + 3)
    let failure = await failure {
      tester.invoke(.found(["a"])) {
        Change(\.nextCount, to: 2)
        Change(\.results, to: ["a"])
      }
    }

    #expect(
      failure.contains(
        """
        ✗ the key path in line \(line) leads to a constant that each access creates anew, so it can't be \
        compared. Keep the constant in a `let` of the store.
        """
      )
    )
  }

  @Test func changeOfAnotherStoresVariableFailsWithARemedy() async {
    let note = NoteStore.instantiate()
    let line = UInt(#line + 3)
    let failure = await failure {
      tester.invoke(.isSearching(false)) {
        Change(\.note, to: "a")
      }
    }
    withExtendedLifetime(note) {}

    #expect(
      failure.contains(
        """
        ✗ the key path in line \(line) leads to a value that the tester doesn't find in the store, only count, \
        isSearching, results, searches. If the value belongs to another store, use a tester of that store.
        """
      )
    )
  }

  @Test func changeOfAValueWithoutPartsIsShownInALine() async {
    let tester = StoreTester(BoxStore.self)
    tester.invoke(.put(rusage())) { Change.named("box", to: rusage()) }
    var usage = rusage()
    usage.ru_maxrss = 1

    let failure = await failure { tester.invoke(.put(usage)) }

    #expect(failure.contains("✗ box"))
  }

  @Test func storeTesterComparesANumberWithAnOptionalNumber() async {
    let tester = StoreTester(ReadingStore.self)

    for number in [1, Double.nan] {
      tester.invoke(.measure(number)) {
        Change.named("reading", to: number)
      }
    }
  }

  @Test func nameWithAControlCharacterDoesNotReachTheTerminal() async {
    let tester = StoreTester(PanelStore.self)

    let failure = await failure { tester.invoke(.press("\u{1B}[2J")) }

    #expect(failure.hasPrefix("PanelStore after Panel.press(\"\\u{1B}[2J\"):\n"))
    #expect(failure.contains(#"✗ buttons[\u{1B}[2J]: 0 → 1, which was not expected"#))
  }

  @Test func storeTesterDistinguishesPrivatePropertiesOfTheSameName() async {
    let tester = StoreTester(HeirStore.self)

    let failure = await failure { tester.invoke(.put(3)) }

    #expect(failure.contains("✗ total: 0 → 3, which was not expected"))
  }

  @Test func storeTesterAcceptsExpectedChangesToDerivedConstants() {
    tester.invoke(.found(["a"])) {
      Change(\.count, to: 1)
      Change(\.results, to: ["a"])
    }
    tester.invoke(.found(["b"])) {
      Change(\.results, to: ["b"])
    }
  }

  @Test func storeTesterExpectPassesWhenSeveralStatesMakeTheExpectedChanges() async {
    await tester.expect {
      Change(\.isSearching, to: true)
      Change.named("searches", to: 1)
      Change(\.results, to: ["a"])
      Change(\.isSearching, to: false)
    } when: {
      await SearchAction().search { ["a"] }
    }
  }

  @Test func changeOfAVariableThatAnEarlierStateHasAddedIsCompared() async {
    let tester = StoreTester(NovelStore.self)
    tester.invoke(.open)

    let failure = await failure { tester.invoke(.turn(0)) }

    #expect(failure.contains("✗ pages[0]: 0 → 1, which was not expected"))
    tester.invoke(.turn(0)) { Change.named("pages[0]", to: 2) }
    tester.invoke(.mark) { Change.named("bookmark", to: 1) }
    // The page has another position.
    tester.invoke(.openInFront)
    tester.invoke(.turn(1)) { Change.named("pages[1]", to: 3) }
  }

  @Test func changeInTheStateThatRemovesTheVariableIsCompared() async {
    let tester = StoreTester(NovelStore.self)
    tester.invoke(.open)

    let failure = await failure { tester.invoke(.turnAndClose) }

    #expect(failure.contains("✗ pages[0]: 0 → 1, which was not expected"))
  }

  @Test func differentValuesWithTheSameTextAreShownByTheirParts() async {
    let tester = StoreTester(PriceStore.self)

    let failure = await failure {
      tester.invoke(.set(Date(timeIntervalSinceReferenceDate: 60.5), Price(cents: 5, tax: 2))) {
        Change(\.date, to: Date(timeIntervalSinceReferenceDate: 60.25))
        Change(\.price, to: Price(cents: 5, tax: 1))
      }
    }

    #expect(failure.contains("date.timeIntervalSinceReferenceDate is 60.5, but 60.25 was expected"))
    #expect(failure.contains("price.tax: 0 → 2, but 1 was expected"))
  }

  @Test func aNaNIsTheSameValueAsAnotherNaN() async {
    let tester = StoreTester(GaugeStore.self)
    tester.invoke(.set(.nan)) {
      Change(\.value, to: .nan)
      Change(\.range, to: Range(low: .nan, high: 1))
    }
    tester.invoke(.set(-.nan))
    tester.invoke(.set(2)) {
      Change(\.value, to: 2)
      Change(\.range, to: Range(low: 2, high: 1))
    }

    _ = await failure { tester.invoke(.set(.nan)) { Change(\.value, to: .nan) } }
  }

  @Test func storeTesterFailsWhenAChangeWasNotExpected() async {
    let failure = await failure {
      tester.invoke(.isSearching(true)) {
        Change(\.isSearching, to: true)
      }
    }

    #expect(
      failure == """
        SearchStore after Search.isSearching(true):
          isSearching: false → true
        ✗ searches: 0 → 1, which was not expected

        This expectation passes:
          Change(\\.isSearching, to: true)
          Change.named("searches", to: 1)
        """
    )
  }

  @Test func storeTesterFailsWhenAVariableChangesToAnUnexpectedValue() async {
    let line = UInt(#line + 3)
    let failure = await failure {
      tester.invoke(.found(["a"])) {
        Change(\.results, to: ["b"])
      }
    }

    #expect(
      failure == """
        SearchStore after Search.found(["a"]):
        ✗ results: [] → ["a"], but ["b"] was expected (line \(line))

        This expectation passes:
          Change(\\.results, to: ["a"])
        """
    )
  }

  @Test func storeTesterFailsWhenAnExpectedChangeDoesNotHappen() async {
    let line = UInt(#line + 3)
    let failure = await failure {
      tester.invoke(.isSearching(false)) {
        Change(\.isSearching, to: false)
      }
    }

    #expect(
      failure == """
        SearchStore after Search.isSearching(false):
        ✗ isSearching: was expected to change to false, but did not (line \(line))
        """
    )
  }

  @Test func storeTesterFailsWhenChangesArriveInAnUnexpectedOrder() async {
    tester.invoke(.isSearching(true)) {
      Change(\.isSearching, to: true)
      Change.named("searches", to: 1)
    }

    let failure = await failure {
      tester.invoke(.found(["a"])) {
        Change(\.isSearching, to: false)
        Change(\.results, to: ["a"])
      }
    }

    #expect(
      failure == """
        SearchStore after Search.found(["a"]):
          results: [] → ["a"]
          isSearching: true → false
        ✗ the changes were expected in another order: isSearching, results

        This expectation passes:
          Change(\\.results, to: ["a"])
          Change(\\.isSearching, to: false)
        """
    )
  }

  @Test func relaxedStoreTesterIgnoresVariablesWithoutAnExpectedChange() async {
    let tester = StoreTester(SearchStore.self, .relaxed)

    tester.invoke(.isSearching(true)) { Change.named("searches", to: 1) }
    let failure = await failure {
      tester.invoke(.isSearching(true)) { Change.named("searches", to: 3) }
    }

    #expect(failure.contains("✗ searches: was expected to change to 3, but did not"))
  }

  @Test func storeTesterComparesValuesThatAreNotEquatablePartByPart() async {
    struct Opaque: Sendable {
      var number: Int
      let body: (@Sendable () -> Void)? = nil
    }

    #expect(await differences(Opaque(number: 1), Opaque(number: 1)) == [])
    #expect(await differences(Opaque(number: 1), Opaque(number: 2)).count == 1)
    #expect(
      await differences([Opaque(number: 1)], [Opaque(number: 1), Opaque(number: 1)]).count == 1
    )
  }

  @Test func storeTesterIgnoresTheOrderOfEntriesInDictionaries() async {
    struct Opaque: Sendable {
      var prices: [String: Double?]
      let body: (@Sendable () -> Void)? = nil
    }
    let names = (0..<100).map { "\($0)" }
    var (prices, others): ([String: Double?], [String: Double?]) = ([:], [:])
    others.reserveCapacity(5_000)
    for name in names { prices[name] = 1 }
    for name in names.reversed() { others[name] = 1 }

    #expect(await differences(Opaque(prices: prices), Opaque(prices: others)) == [])
    #expect(await differences([1: Opaque(prices: [:])], [1: Opaque(prices: [:])]) == [])
    #expect(await differences([1: Opaque(prices: [:])], [2: Opaque(prices: [:])]).count == 1)
  }

  @Test func storeTesterFailsWhenAChangeNamesAnUnknownVariable() async {
    let failure = await failure {
      tester.invoke(.isSearching(false)) { Change.named("sarches", to: 1) }
    }

    #expect(
      failure.contains(
        """
        ✗ sarches: the store has no variable with this name, only count, isSearching, results, searches
        """
      )
    )
  }

  @Test func storeTesterAcceptsAVariableNameWithALeadingUnderscore() {
    tester.invoke(.found(["a"])) {
      Change.named("_results", to: ["a"])
    }
  }

  @Test func storeTesterFailsWhenAVariableChangesLessOftenThanExpected() async {
    let failure = await failure {
      tester.invoke(.found(["a"])) {
        Change(\.results, to: ["a"])
        Change(\.results, to: ["b"])
      }
    }

    #expect(failure.contains("✗ results: was expected to change once more, to"))
  }

  @Test func storeTesterComparesVariablesInArraysDictionariesStructsAndOptionals() async {
    let tester = StoreTester(ShelfStore.self)

    tester.invoke(.fill(1)) {
      Change.named("rows[0]", to: 1)
      Change.named("rows[1]", to: 1)
      Change.named("byName[left]", to: 1)
      Change.named("pair.second", to: 1)
      Change.named("extra", to: 1)
      Change.named("mixed[1]", to: 1)
    }
    let failure = await failure { tester.invoke(.fill(2)) }

    #expect(failure.contains("✗ rows[1]: 1 → 2, which was not expected"))
  }

  @Test func synchronousAndAwaitedExpectFailWithTheSameMessage() async {
    let synchronous = await failure {
      tester.expect {
        Change(\.results, to: ["b"])
      } when: {
        SearchAction().invoke(.found(["a"]))
      }
    }
    SearchAction().invoke(.found([]))
    let awaited = await failure {
      await tester.expect {
        Change(\.results, to: ["b"])
      } when: {
        await Task.yield()
        SearchAction().invoke(.found(["a"]))
      }
    }

    let message = """
      SearchStore after the operation:
      ✗ results: [] → ["a"], but ["b"] was expected\u{20}

      This expectation passes:
        Change(\\.results, to: ["a"])
      """
    #expect(synchronous.replacing(/\(line \d+\)/, with: "") == message)
    #expect(awaited.replacing(/\(line \d+\)/, with: "") == message)
  }

  @Test func failureOfAStoreTesterNamesATaskThatIsStillRunning() async {
    let (gate, dusts) = (Gate(), DustBuster())

    let failure = await failure {
      await tester.expect {
        Change(\.results, to: ["a"])
      } when: {
        Task {
          await gate.pass()
          SearchAction().invoke(.found(["a"]))
        }
        .cleaned(by: dusts)
      }
    }
    gate.open()

    #expect(
      failure.contains(
        """
        Should the operation end with `await Dispatcher.shared.settled()`? Still under way:
          The task of FluxCapacitorTestingTests/StoreTesterTests.swift:
        """
      )
    )
  }

  @Test func failureOfAStoreTesterNamesAnEffectThatIsStillRunning() async {
    let (gate, effects) = (Gate(), Effects())

    let failure = await failure {
      await tester.expect {
        Change(\.results, to: ["a"])
      } when: {
        effects.run { effect in
          await gate.pass()
          SearchAction().invoke(.found(["a"]), as: effect)
        }
      }
    }
    gate.open()

    #expect(
      failure.contains(
        "The effect of FluxCapacitorTestingTests/StoreTesterTests.swift:\(#line - 8) is running."
      )
    )
  }

  private func differences(_ value: some Sendable, _ expected: some Sendable) async -> [String] {
    let tester = StoreTester(BoxStore.self)
    return await failures {
      tester.invoke(.put(value)) { Change.named("box", to: expected as any Sendable) }
    }
  }
}

extension SearchStore {
  fileprivate var nextCount: Constant<Int> { count.map { $0 + 1 } }
  fileprivate var note: Variable<String> { NoteStore.instantiate().text }
}

private enum Box: DispatchState {
  typealias RelatedStoreType = BoxStore

  case put(any Sendable)
}

private final class BoxStore: Storable {
  private let box = Variable<any Sendable>(0)

  func reduce(with state: Box) {
    switch state {
    case .put(let value): box.value = value
    }
  }
}

private enum Shelf: DispatchState {
  typealias RelatedStoreType = ShelfStore

  case fill(Int)
}

/// A store with variables in arrays, dictionaries, structs and optionals.
private final class ShelfStore: Storable {
  private struct Pair {
    let first = 0
    let second = Variable(0)
  }

  private let numbers = [1, 2, 3]
  private let rows = [Variable(0), Variable(0)]
  private let byName = ["left": Variable(0)]
  private let pair = Pair()
  private let extra: Variable<Int>? = Variable(0)
  private let mixed: [any Sendable] = [0, Variable(0)]

  func reduce(with state: Shelf) {
    guard case .fill(let number) = state else { return }
    for row in rows { row.value = number }
    byName["left"]?.value = number
    pair.second.value = number
    extra?.value = number
    (mixed[1] as? Variable<Int>)?.value = number
  }
}

extension Dispatcher {
  fileprivate enum Novel: DispatchState {
    typealias RelatedStoreType = NovelStore

    case open
    case openInFront
    case turn(Int)
    case mark
    case turnAndClose
  }

  fileprivate enum Gauge: DispatchState {
    typealias RelatedStoreType = GaugeStore

    case set(Double)
  }
}

/// A store that gains and loses variables.
private final class NovelStore: Storable {
  // The dispatcher's turn guards this property.
  nonisolated(unsafe) private var pages: [Variable<Int>] = []
  private let bookmark: Variable<Int>? = Variable(0)

  func reduce(with state: Dispatcher.Novel) {
    switch state {
    case .open: pages.append(Variable(0))
    case .openInFront: pages.insert(Variable(0), at: 0)
    case .turn(let index): pages[index].value += 1
    case .mark: bookmark?.value = 1
    case .turnAndClose:
      pages[0].value += 1
      pages = []
    }
  }
}

private struct Range: Equatable {
  var low: Double
  var high: Double
}

private final class GaugeStore: Storable {
  var value: Constant<Double> { _value.constant }
  private let _value = Variable(0.0)

  var range: Constant<Range> { _range.constant }
  private let _range = Variable(Range(low: 0, high: 1))

  func reduce(with state: Dispatcher.Gauge) {
    switch state {
    case .set(let value):
      _value.value = value
      _range.value.low = value
    }
  }
}

extension Dispatcher {
  fileprivate enum Pricing: DispatchState {
    typealias RelatedStoreType = PriceStore

    case set(Date, Price)
  }
}

/// A value with a description that hides a property.
private struct Price: Equatable, CustomStringConvertible {
  var cents: Int
  var tax: Int

  var description: String { "\(cents) cents" }
}

private final class PriceStore: Storable {
  var date: Constant<Date> { _date.constant }
  private let _date = Variable(Date(timeIntervalSinceReferenceDate: 0))

  var price: Constant<Price> { _price.constant }
  private let _price = Variable(Price(cents: 5, tax: 0))

  func reduce(with state: Dispatcher.Pricing) {
    switch state {
    case .set(let date, let price):
      _date.value = date
      _price.value = price
    }
  }
}

private enum Reading: DispatchState {
  typealias RelatedStoreType = ReadingStore

  case measure(Double?)
}

private final class ReadingStore: Storable {
  private let reading = Variable<Double?>(nil)

  func reduce(with state: Reading) {
    switch state {
    case .measure(let number): reading.value = number
    }
  }
}

private enum Panel: DispatchState {
  typealias RelatedStoreType = PanelStore

  case press(String)
}

private final class PanelStore: Storable {
  private let buttons = ["\u{1B}[2J": Variable(0)]

  func reduce(with state: Panel) {
    switch state {
    case .press(let button): buttons[button]?.value += 1
    }
  }
}

private enum Heir: DispatchState {
  typealias RelatedStoreType = HeirStore

  case put(Int)
}

private class Ancestor: @unchecked Sendable {
  private let total = Variable(0)

  func put(_ number: Int) { total.value = number }
}

private final class HeirStore: Ancestor, Storable, @unchecked Sendable {
  typealias DispatchStateType = Heir

  private let count = Variable(0)
  private let total: Constant<Int>

  override init() { total = count.map { $0 + 1 } }

  func reduce(with state: Heir) {
    switch state {
    case .put(let number): put(number)
    }
  }
}
