import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// The stores and variables that a `DispatchEvent` lists, and the lifetime of intercepted stores.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct InterceptedStoresTests {
  private let dispatcher = Dispatcher.shared
  private let dusts = DustBuster()
  private let log = Log<String>()

  private func intercept(_ body: @escaping @Sendable (DispatchEvent) -> Void) {
    dispatcher.intercept(body).cleaned(by: dusts)
  }

  private func logChanges() {
    intercept { [log] event in
      let changes = event.changes.map { "\($0.name) \($0.oldValue) → \($0.newValue)" }
      log.append(changes.joined(separator: ", "))
    }
  }

  @Test func dispatchEventListsStoresInTheOrderInWhichTheirReducesEnd() {
    let stores = relayStores()
    intercept { [log] event in
      log.append(event.stores.map { "\($0)" }.joined(separator: " "))
    }

    dispatcher.dispatch(Relay.run { _ in })
    dispatcher.dispatch(
      Relay.run { store in
        if store is FirstStore { store.wait(for: ThirdStore.self) }
      }
    )
    dispatcher.dispatch(
      Relay.run { store in
        if store is SecondStore { store.wait(for: ThirdStore.self) }
      }
    )

    #expect(
      log.entries == [
        "FirstStore SecondStore ThirdStore", "ThirdStore FirstStore SecondStore",
        "FirstStore ThirdStore SecondStore",
      ]
    )
    withExtendedLifetime(stores) {}
  }

  @Test func dispatchEventNamesVariablesThatAStoreCreatesAfterItsInitializer() {
    let store = ShelfStore.instantiate()
    logChanges()

    ShelfAction().invoke(.put("a"))
    ShelfAction().invoke(.write("a", 1))
    ShelfAction().invoke(.put("b"))
    ShelfAction().invoke(.write("b", 2))
    ShelfAction().invoke(.note(3))
    ShelfAction().invoke(.note(4))

    #expect(
      log.entries == [
        "", "books[a].pages 0 → 1, list[0] 0 → 1, mode.open 0 → 1", "",
        "books[b].pages 0 → 2, list[1] 0 → 2", "", "late 3 → 4",
      ]
    )
    withExtendedLifetime(store) {}
  }

  @Test func dispatchEventNamesAVariableInPlaceOfOneThatSomebodyKeeps() {
    let store = DraftStore.instantiate()
    logChanges()
    DraftStore.write("a")
    let former = store.draft

    DraftStore.write("new")
    DraftStore.write("b")

    #expect(log.entries == ["draft  → a", "", "draft new → b"])
    withExtendedLifetime(former) {}
  }

  /// Another thread might be changing a `var` under a lock of the store.
  @Test func searchReadsOnlyThoseVarsThatCanContainAVariable() {
    let contents = StoreContents(of: VarStore())

    #expect(contents.variables.map(\.name) == ["number", "numbers[0]", "pair.1", "row.first"])
    // The other properties can't contain a variable, so they don't count.
    #expect(!contents.isFixed && StoreContents(of: CacheStore()).isFixed)
    #expect(!contents.isComplete && !StoreContents(of: CacheStore()).isComplete)
  }

  /// The search for variables looks into each property.
  @Test func interceptedStoreCanHaveAPropertyThatIsDeeperThanAStack() {
    let store = DeepStore.instantiate()
    logChanges()

    dispatcher.dispatch(DeepStore.State())

    #expect(log.entries == ["count 0 → 1"])
    let contents = StoreContents(of: store)
    #expect(!contents.isFixed && !contents.isComplete)
  }

  /// A key's description might need a lock of the user's that another thread holds while it dispatches.
  @Test func keyIsDescribedOnlyWhenTheNameOfAChangeIsRead() {
    let store = KeyedStore.instantiate()
    let events = Log<DispatchEvent>()
    intercept { events.append($0) }
    let former = KeyedStore.descriptions.value

    dispatcher.dispatch(KeyedStore.State())

    #expect(KeyedStore.descriptions.value == former)
    #expect(
      events.entries.flatMap(\.changes).map(\.name) == (0..<8).map { "counts[key \($0)]" }
    )
    #expect(KeyedStore.descriptions.value > former)
    withExtendedLifetime(store) {}
  }

  @Test func interceptorAddedDuringAReduceReceivesOnlyLaterDispatches() {
    let store = CounterStore.instantiate()
    let script = ScriptStore.instantiate()
    let recorder = DispatchRecorder()
    CounterAction().invoke(.add(1))

    dispatcher.reduce { [self] store in
      store.first.value = 1
      intercept { [log] event in
        log.append("\(event.sequenceNumber) \(event.state) \(event.changes.map(\.name))")
      }
    }
    CounterAction().invoke(.add(1))

    #expect(log.entries == [#"1 add(1) ["count", "doubled"]"#])
    #expect(recorder.states.count == 3)
    withExtendedLifetime((store, script)) {}
  }

  @Test func interceptorDoesNotKeepTheVariablesOfAFreedStoreAlive() {
    let tally = Tally()
    var store: CounterStore? = .instantiate()
    do {
      let counted = Counted(tally)
      _ = store?.count.observe { _ in withExtendedLifetime(counted) {} }
    }
    let events = Log<DispatchEvent>()
    intercept { events.append($0) }
    CounterAction().invoke(.add(1))
    #expect(tally.value == 1)

    // The test releases the store while the interceptor is active and `events` retains an event.
    store = nil

    #expect(tally.value == 0)
    #expect(events.entries.count == 1)
    _ = store
  }

  @Test func interceptorClosureIsFreedWithItsDispatcher() {
    let tally = Tally()
    let dust: Dust
    do {
      let dispatcher = Dispatcher()
      let counted = Counted(tally)
      dust = dispatcher.intercept { _ in withExtendedLifetime(counted) {} }
      dispatcher.dispatch(Dispatcher.Counter.add(1))
      #expect(tally.value == 1)
    }

    #expect(tally.value == 0)
    dust.clean()
  }

  @Test func interceptorDoesNotKeepAliveAStoreThatAnEarlierReduceOfTheDispatchReleases() {
    let first = FirstStore.instantiate()
    let second = Log<SecondStore>()
    second.append(SecondStore.instantiate())
    logChanges()
    dispatcher.dispatch(Relay.run { _ in })

    dispatcher.dispatch(
      Relay.run { [log] store in
        log.append(store.name)
        if store is FirstStore { second.removeAll() }
      }
    )

    #expect(log.entries == ["", "FirstStore", ""])
    withExtendedLifetime(first) {}
  }
}

private enum Shelf: DispatchState {
  typealias RelatedStoreType = ShelfStore
  typealias RelatedActionType = ShelfAction

  case put(String)
  case write(String, Int)
  case note(Int)
}

private struct ShelfAction: Actionable {
  typealias DispatchStateType = Shelf
}

/// `@unchecked Sendable` is safe because only reduces change the properties, and reduces never overlap.
private final class ShelfStore: Storable, @unchecked Sendable {
  struct Book {
    let title: String
    let pages = Variable(0)
  }

  enum Mode {
    case closed
    case open(Variable<Int>)
  }

  private var books: [String: Book] = [:]
  private var list: [Variable<Int>?] = []
  private var mode = Mode.closed
  private var names = ["plain", "texts"]
  private lazy var late = Variable(0)

  init() {}

  func reduce(with state: Shelf) {
    switch state {
    case .put(let title):
      let book = Book(title: title)
      books[title] = book
      list.append(Variable(0))
      if case .closed = mode { mode = .open(Variable(0)) }
    case .write(let title, let pages):
      books[title]?.pages.value = pages
      list.last??.value = pages
      if case .open(let count) = mode, list.count == 1 { count.value = pages }
    case .note(let number):
      late.value = number
    }
  }
}

/// A store with a list of 3,000 levels, and with a mirror that contains itself.
private final class DeepStore: Storable {
  struct State: DispatchState {
    typealias RelatedStoreType = DeepStore
  }

  indirect enum List: Sendable {
    case end
    case next(Int, List)
  }

  struct Endless: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: ["itself": self], displayStyle: .struct) }
  }

  private let list = (0..<3_000).reduce(List.end) { .next($1, $0) }
  private let endless = Endless()
  private let count = Variable(0)

  func reduce(with _: State) { count.value += 1 }
}

private final class VarStore: Storable, @unchecked Sendable {
  struct State: DispatchState {
    typealias RelatedStoreType = VarStore
  }

  var number: Variable<Int>? = Variable(0)
  var numbers = [Variable(1)]
  var pair = (0, Variable(2))
  var row = Row()

  struct Row: Sequence {
    let first = Variable(3)
    func makeIterator() -> IndexingIterator<[Int]> { [4].makeIterator() }
  }

  var text = "text"

  func reduce(with _: State) {}
}

private final class CacheStore: Storable, @unchecked Sendable {
  struct State: DispatchState {
    typealias RelatedStoreType = CacheStore
  }

  enum Phase {
    case loading(Int), ended
  }

  var cache: [String: [String]] = [:]
  var address: URL?
  var contents: Data?
  var phase: Phase?
  var delegate: (any CustomStringConvertible & Sendable)?
  var log: [(date: Int, text: String)] = []
  let count = Variable(0)

  func reduce(with _: State) {}
}

/// A store with a variable that a reduce replaces.
private final class DraftStore: Storable, @unchecked Sendable {
  struct State: DispatchState {
    typealias RelatedStoreType = DraftStore

    let text: String
  }

  private(set) var draft = Variable("")

  static func write(_ text: String) { Dispatcher.shared.dispatch(State(text: text)) }

  func reduce(with state: State) {
    if state.text == "new" {
      draft = Variable(state.text)
    } else {
      draft.value = state.text
    }
  }
}

/// A store with variables for keys that describe themselves.
private final class KeyedStore: Storable {
  struct State: DispatchState {
    typealias RelatedStoreType = KeyedStore
  }

  struct Key: Hashable, CustomStringConvertible {
    let number: Int

    var description: String {
      KeyedStore.descriptions.add()
      return "key \(number)"
    }
  }

  static let descriptions = Tally()

  private let counts = Dictionary(
    uniqueKeysWithValues: (0..<8).map { (Key(number: $0), Variable(0)) }
  )

  func reduce(with _: State) {
    for count in counts.values { count.value += 1 }
  }
}
