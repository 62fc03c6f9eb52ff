import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import Foundation
import Testing

/// Code that is handed to the library sees the dispatcher in which it was handed over, and a reduce sees the dispatcher
/// that reduces, whichever thread calls it.
@Suite(.timeLimit(.minutes(20)))
struct SharedDispatcherTests {
  /// What the tests hand over, in a dispatcher, and change in another one.
  fileprivate final class Source: Sendable {
    let dispatcher = Dispatcher()
    let queue = DispatchQueue(label: "observer")
    let variable = Variable(0)
    let table = VariableTable<Item>([])
    let sink = Sink<Int>()
    let dusts = DustBuster()
    let store: SourceStore

    init() { store = SourceStore.instantiate(on: dispatcher) }

    func change() {
      variable.value += 1
      table[id: 1] = Item(id: 1, number: variable.value)
      sink.send(1)
      dispatcher.dispatch(SourceState.run)
    }
  }

  fileprivate struct Item: Identifiable, Equatable {
    let id: Int
    var number: Int
  }

  fileprivate enum SourceState: DispatchState {
    typealias RelatedStoreType = SourceStore

    case run
  }

  fileprivate final class SourceStore: Storable {
    let seen = Log<Dispatcher>()

    func reduce(with _: SourceState) { seen.append(.shared) }
  }

  /// A way to hand a closure over.
  fileprivate typealias Way = @Sendable (Source, _ body: @escaping @Sendable () -> Void) -> Dust

  fileprivate static let ways: [(name: String, handOver: Way)] = [
    ("observe", { $0.variable.observe { [body = $1] _ in body() } }),
    ("on main", { $0.variable.observe(on: ExecuteQueue.main) { [body = $1] _ in body() } }),
    ("on the main actor", { $0.variable.observe(on: .main) { [body = $1] _ in body() } }),
    ("on a queue", { $0.variable.observe(on: .queue($0.queue)) { [body = $1] _ in body() } }),
    ("derived", { $0.variable.map(\.self).removeDuplicates().observe { [body = $1] _ in body() } }),
    ("observeChanges", { $0.variable.observeChanges { [body = $1] _, _ in body() } }),
    ("bind", { $0.variable.bind(to: $0, on: .current) { [body = $1] _, _ in body() } }),
    ("during a scope", { $0.variable.observe(duringScopeOf: $0) { [body = $1] _ in body() } }),
    ("row", { $0.table.row(id: 1).observe { [body = $1] _ in body() } }),
    ("changes of a table", { $0.table.observeChanges { [body = $1] _ in body() } }),
    ("signal", { $0.sink.signal.observe { [body = $1] _ in body() } }),
    ("states", { $0.dispatcher.observe(SourceState.self) { [body = $1] _ in body() } }),
    (
      "states during a scope",
      { $0.dispatcher.observe(SourceState.self, duringScopeOf: $0) { [body = $1] _ in body() } }
    ),
    ("intercept", { $0.dispatcher.intercept { [body = $1] _ in body() } }),
  ]

  /// Whether the closure is handed over, and the source is changed, in a dispatcher of its own.
  @Test(arguments: ways.indices, [(true, true), (true, false), (false, true)])
  func closureSeesTheDispatcherInWhichItWasHandedOver(
    index: Int,
    isReplaced: (there: Bool, here: Bool)
  ) async {
    let (source, log) = (Source(), Log<Dispatcher>())
    let dispatcher = isReplaced.there ? Dispatcher() : Dispatcher.processWide
    await outsideOfAnyDispatcher {
      let handOver = {
        Self.ways[index].handOver(source) { log.note() }.cleaned(by: source.dusts)
      }
      if isReplaced.there { withDispatcher(dispatcher, operation: handOver) } else { handOver() }
      if isReplaced.here { withDispatcher(Dispatcher(), operation: source.change) }
      source.change()
      withDispatcher(source.dispatcher, operation: source.change)
    }
    source.queue.sync {}
    await mainQueueIsEmpty()
    source.dusts.clean()

    #expect(log.entries.count >= 2, "\(Self.ways[index].name)")
    #expect(log.entries.allSatisfy { $0 === dispatcher }, "\(Self.ways[index].name)")
  }

  /// Runs a closure on a thread that inherits no dispatcher.
  private func outsideOfAnyDispatcher(_ body: @escaping @Sendable () -> Void) async {
    await inParallel(1) { _ in body() }
  }

  @Test func reduceSeesTheDispatcherThatReduces() async {
    let source = Source()

    source.change()
    withDispatcher(Dispatcher(), operation: source.change)
    source.dispatcher.transaction(source.change)
    source.store.seen.entries.forEach { #expect($0 === source.dispatcher) }

    #expect(source.store.seen.entries.count == 3)
  }

  @Test func stateThatAnObserverInvokesReachesTheStoreOfItsOwnSession() async {
    let (shared, sessions) = (Variable(0), [Dispatcher(), Dispatcher()])
    let stores = sessions.map { CounterStore.instantiate(on: $0) }
    let dusts = DustBuster()
    for session in sessions {
      withDispatcher(session) {
        shared.observe(ignoreFirst: true) { CounterAction().invoke(.add($0)) }.cleaned(by: dusts)
      }
    }

    withDispatcher(sessions[0]) { shared.value = 1 }
    withDispatcher(sessions[1]) { shared.value = 10 }
    await inParallel(1) { _ in shared.value = 100 }

    #expect(stores.map(\.count.value) == [111, 111])
    dusts.clean()
  }

  @Test func queriesAreReportedInTheDispatcherOfTheirStore() {
    let (dispatcher, log) = (Dispatcher(), Log<Dispatcher>())
    let store = PriceStore.instantiate(on: dispatcher)
    store.onChange.value = { _, _ in log.note() }

    let dust = withDispatcher(Dispatcher()) { store.query("bread") }
    dust.clean()

    #expect(log.entries.count == 2)
    #expect(log.entries.allSatisfy { $0 === dispatcher })
  }

  @Test func firstValueInsideAnObserverSeesTheInnermostDispatcher() {
    let (variable, log, inner) = (Variable(0), Log<Dispatcher>(), Dispatcher())
    let dusts = DustBuster()
    withDispatcher(Dispatcher()) {
      variable.observe(ignoreFirst: true) { _ in
        withDispatcher(inner) { variable.observe { _ in log.note() }.cleaned(by: dusts) }
      }.cleaned(by: dusts)
      variable.value = 1
    }

    #expect(log.entries.map { $0 === inner } == [true])
    dusts.clean()
  }

  @Test func dispatchersThatObserveEachOtherAreReleased() {
    weak var first: Dispatcher?
    weak var second: Dispatcher?
    do {
      let (a, b) = (Dispatcher(), Dispatcher())
      (first, second) = (a, b)
      withDispatcher(a) { _ = b.observe(SourceState.self) { _ in } }
      withDispatcher(b) { _ = a.intercept { _ in } }
    }

    #expect(first == nil)
    #expect(second == nil)
  }

  /// The dispatcher has no stores any more, so the observers see an empty one.
  @Test func observersThatArePendingWhenTheirDispatcherIsReleasedDoNotSeeTheProcesss() {
    let (queue, log) = (DispatchQueue(label: "observer"), Log<Dispatcher>())
    queue.suspend()
    Dispatcher().transaction {
      let dispatcher = Dispatcher()
      withDispatcher(dispatcher) {
        _ = dispatcher.observe(SourceState.self) { _ in log.note() }
        _ = dispatcher.observe(SourceState.self, on: .queue(queue)) { _ in log.note() }
        _ = dispatcher.intercept { _ in log.note() }
      }
      dispatcher.dispatch(SourceState.run)
    }
    queue.resume()
    queue.sync {}

    #expect(log.entries.map { $0 === Dispatcher.processWide } == [false, false, false])
  }

  @Test func observersOfADispatcherDoNotKeepItAlive() {
    let log = Log<String>()
    do {
      let dispatcher = Dispatcher()
      withDispatcher(dispatcher) {
        let endings = ["states", "events"].map { name in AtEnd { log.append(name) } }
        _ = dispatcher.observe(SourceState.self) { _ in withExtendedLifetime(endings[0]) {} }
        _ = dispatcher.intercept { _ in withExtendedLifetime(endings[1]) {} }
        dispatcher.dispatch(SourceState.run)
      }
    }

    #expect(log.entries.sorted() == ["events", "states"])
  }
}

extension Log<Dispatcher> {
  fileprivate func note() { append(.shared) }
}
