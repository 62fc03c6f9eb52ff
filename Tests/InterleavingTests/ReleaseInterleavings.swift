#if DEBUG
  import FluxCapacitor
  import FluxCapacitorPersistence
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  /// V3: a deinit is user code, so the library releases its users' objects when the thread holds none of its locks.
  struct ReleaseInterleavings {
    private let held = Log<Bool>()

    /// Another thread releases the store meanwhile. With an interceptor, the thread looks at all stores.
    @Test(arguments: [nil, false, true])
    func storeOfADispatchInATransactionIsReleasedWithoutALock(changes: Bool?) {
      explore { scenario in
        let (held, dusts) = (Log<Bool>(), DustBuster())
        let stores = Log(LoneStore.instantiate())
        stores.entries[0].released.value = Released(in: held)
        if let changes {
          Dispatcher.shared.intercept(changes: changes) { _ in }.cleaned(by: dusts)
        }
        scenario.transaction {
          for _ in 1...2 { Dispatcher.shared.dispatch(LoneStore.State.run) }
          CounterAction().invoke(.add(1))
        }
        scenario.thread { stores.removeAll() }
        scenario.keep((CounterStore.instantiate(), dusts))
        scenario.check { #expect(held.entries == [false]) }
      }
    }

    /// Another thread meanwhile delivers a change to the observer, or ends the observation too, and releases the variable.
    @Test(arguments: [false, true])
    func variableOfACleanedObservationIsReleasedWithoutALock(isDelivering: Bool) {
      explore { scenario in
        let held = Log<Bool>()
        let variables = Log(Variable<Released?>(nil))
        let dust = variables.entries[0].observe { _ in }
        scenario.transaction { dust.clean() }
        scenario.thread {
          variables.entries[0].value = Released(in: held)
          if !isDelivering { dust.clean() }
          variables.removeAll()
        }
        scenario.check { #expect(held.entries == [false]) }
      }
    }

    @Test func tableOfACleanedObservationIsReleasedWithoutALock() {
      explore { scenario in
        let held = Log<Bool>()
        let tables = Log(VariableTable([Line(id: 0), Line(id: 1, part: Released(in: held))]))
        let dust = tables.entries[0].row(id: 0).observe { _ in }
        scenario.transaction { dust.clean() }
        scenario.thread { tables.removeAll() }
        scenario.check { #expect(held.entries == [false]) }
      }
    }

    @Test(arguments: [false, true])
    func keyOfEffectsIsReleasedWithoutALock(isSuperseding: Bool) {
      explore { scenario in
        let (held, keyed) = (Log<Bool>(), KeyedEffects<RowID>())
        let effects = Log(keyed[RowID(in: held)])
        scenario.transaction { isSuperseding ? keyed.supersede() : keyed.cancel() }
        scenario.thread { effects.removeAll() }
        scenario.check { #expect(held.entries == [false]) }
      }
    }

    @Test(arguments: [false, true])
    func stateThatAReduceInvokesIsReleasedWithoutALock(isInTransaction: Bool) {
      withDispatcher(Dispatcher()) {
        let store = PayloadStore.instantiate()
        let invoke = { Dispatcher.shared.dispatch(PayloadStore.State.first(held)) }
        isInTransaction ? Dispatcher.shared.transaction(invoke) : invoke()

        #expect(held.entries == [false])
        withExtendedLifetime(store) {}
      }
    }

    @Test func closureOfAnotherThreadIsReleasedAfterTheTransactionThatStartsItsConstant() {
      explore { scenario in
        let held = Log<Bool>()
        let (first, second) = (Variable(0), Variable(0))
        let both = Constant.combine(first.map { $0 }, second)
        scenario.thread { Dispatcher.shared.transaction { _ = both.observe { _ in } } }
        scenario.thread {
          let object = Released(in: held)
          both.observe(ignoreFirst: true) { _ in withExtendedLifetime(object) {} }.clean()
        }
        scenario.check { #expect(held.entries == [false]) }
      }
    }

    @Test func clockOfARateRunsWithoutALock() async {
      await Effects(.atMost(1, per: .seconds(1))).perform(clock: NotingClock(held: held)) { _ in }

      #expect(!held.entries.isEmpty && !held.entries.contains(true))
    }

    /// The thread finds the store, which another thread releases, among those of the states that its new store reduces.
    @Test(arguments: [false, true])
    func storeThatAnInstantiationFindsIsReleasedWithoutALock(isInTransaction: Bool) {
      explore(isReduced: false) { scenario in
        let (held, found) = (Log<Bool>(), Log(LoneStore.instantiate()))
        found.entries[0].released.value = Released(in: held)
        if isInTransaction {
          scenario.transaction { _ = InnerStore.instantiate() }
        } else {
          scenario.thread { _ = OuterStore.instantiate() }
        }
        scenario.thread { found.removeAll() }
        scenario.check { #expect(held.entries == [false]) }
      }
    }

    private final class LoneStore: Storable {
      enum State: DispatchState {
        typealias RelatedStoreType = LoneStore

        case run
      }

      let released = Variable<Released?>(nil)

      /// Another thread can release the store here.
      func reduce(with _: State) { interleavingPoint() }
    }

    private final class InnerStore: Storable {
      func reduce(with _: LoneStore.State) {}
    }

    private final class OuterStore: Storable {
      enum State: DispatchState { typealias RelatedStoreType = OuterStore }

      private let inner = InnerStore.instantiate()

      func reduce(with _: State) {}
    }

    // MARK: - Tables

    /// The table's index and the constant with all ids keep the first of two equal ids.
    @Test(arguments: [false, true], [false, true])
    func idsOfATableAreReleasedWithoutALock(hasIDs: Bool, isCleared: Bool) {
      let table = VariableTable([Row(in: held)])
      let ids = hasIDs ? table.ids : nil
      table[id: RowID(in: held)] = Row(in: held)

      if isCleared { table.removeAll() } else { table.remove(id: RowID(in: held)) }

      #expect(ids?.value.count ?? 0 == 0)
      #expect(held.entries.count >= 3)
      #expect(!held.entries.contains(true))
    }

    /// The index keeps the first id, the row has the last one, and the constant with all ids keeps one in between.
    @Test func idOfAnOlderRowIsReleasedWithoutALock() {
      let table = VariableTable([Row(in: held)])
      table[id: RowID(in: held)] = Row(in: held)
      let ids = table.ids
      table[id: RowID(in: held)] = Row(in: held)

      table.remove(id: RowID(in: held))

      #expect(ids.value.count == 0)
      #expect(held.entries.count >= 4)
      #expect(!held.entries.contains(true))
    }

    @Test(arguments: [false, true])
    func idOfARemovedRowIsReleasedWithoutALockAfterTheConstantOfTheRow(isInsertedAgain: Bool) {
      let table = VariableTable([Row(in: held)])
      var row: Constant<Row?>? = table.row(id: RowID(in: held))
      table.remove(id: RowID(in: held))
      #expect(row?.value == nil)
      if isInsertedAgain {
        table.append(Row(in: held))
        table.remove(id: RowID(in: held))
      }

      row = nil

      #expect(held.entries.count >= 3)
      #expect(!held.entries.contains(true))
    }

    /// The deinit of the observer's closure makes a change when the last edit has no observer.
    @Test func editOfATableIsReleasedWithoutALock() {
      let table = VariableTable([Row(in: held)])
      let dust = table.observeChanges {
        [released = Released(in: held) { table.append(Row(in: held)) }] _ in
        withExtendedLifetime(released) {}
      }
      table.remove(id: RowID(in: held))

      dust.clean()

      #expect(held.entries.count >= 2)
      #expect(!held.entries.contains(true))
    }

    // MARK: - Sessions

    @Test func errorsOfFailedClosesAreReleasedWithoutALock() {
      explore { scenario in
        let (held, closes) = (Log<Bool>(), Log<Int>())
        let sessions = Sessions<Int, Int>(idle: .zero, clock: InstantClock()) { id, _ in
          id
        } close: { id in
          closes.append(id)
          if closes.entries.count < 3 { throw Failure(released: Released(in: held)) }
        }
        scenario.thread { Task { try await sessions.with(1) { _ in } } }
        scenario.check {
          #expect(held.entries == [false, false])
          #expect(sessions.ids.value == [])
        }
      }
    }

    @Test func formerEndOfTheIdleTimeIsReleasedWithoutALock() {
      explore { scenario in
        let held = Log<Bool>()
        let clock = ClockOfObjects(held: held)
        let sessions = Sessions<Int, Int>(idle: .seconds(1), clock: clock) { id, _ in id }
        scenario.thread {
          Task { for _ in 1...3 { try await sessions.with(1) { _ in } } }
        }
        scenario.check { #expect(!held.entries.isEmpty && !held.entries.contains(true)) }
      }
    }

    // MARK: - Keepers

    /// Time travel reads the value of a store while the keeper of the store is closed.
    @Test func valueBeforeATravelIsReleasedWithoutALockBesideAClose() {
      explore { scenario in
        let held = Log<Bool>()
        let keeper = try Keeper(
          directory: URL(fileURLWithPath: "/memory"),
          clock: EndlessClock(),
          savesTimeTravel: false,
          fileSystem: MemoryDisk()
        )
        let store = try ObjectStore.$held.withValue(held) { try keeper.open(ObjectStore.self) }
        scenario.keep(keeper, store)
        scenario.thread { Dispatcher.shared.travel {} }
        scenario.thread { Task { try? await keeper.close() } }
        scenario.check { #expect(!held.entries.contains(true)) }
      }
    }
  }

  /// An id that equals all other ids, which are different objects.
  private final class RowID: Hashable, Sendable {
    private let released: Released

    init(in held: Log<Bool>) { released = Released(in: held) }

    static func == (_: RowID, _: RowID) -> Bool { true }

    func hash(into _: inout Hasher) {}
  }

  private struct Row: Identifiable, Sendable {
    let id: RowID

    init(in held: Log<Bool>) { id = RowID(in: held) }
  }

  private struct Line: Identifiable, Sendable {
    let id: Int
    var part: Released?
  }

  private struct Failure: Error {
    let released: Released
  }

  /// A clock that stands still. Its instants are objects.
  private struct ClockOfObjects: Clock {
    struct Instant: InstantProtocol {
      let held: Log<Bool>
      var released: Released

      init(_ held: Log<Bool>) { (self.held, released) = (held, Released(in: held)) }

      static func == (_: Instant, _: Instant) -> Bool { true }
      static func < (_: Instant, _: Instant) -> Bool { false }
      func hash(into _: inout Hasher) {}
      func advanced(by _: Duration) -> Instant { Instant(held) }
      func duration(to _: Instant) -> Duration { .zero }
    }

    let held: Log<Bool>
    var now: Instant { Instant(held) }
    var minimumResolution: Duration { .zero }

    func sleep(until _: Instant, tolerance _: Duration?) async throws {
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
  }

  private final class ObjectStore: Persistable {
    enum State: DispatchState {
      typealias RelatedStoreType = ObjectStore
    }

    struct Saved: Codable {
      let number: Int
      var released: Released?

      enum CodingKeys: CodingKey { case number }
    }

    static let archive = Archive(Saved.self, named: "object", version: 1)
    @TaskLocal static var held = Log<Bool>()

    private let held = ObjectStore.held
    private let number = Variable(0)

    var saved: Saved { Saved(number: number.value, released: Released(in: held)) }

    func restore(_ saved: Saved) { number.value = saved.number }

    func reduce(with _: State) {}
  }

  /// A store that invokes a state with an object while it reduces another state.
  private final class PayloadStore: Storable {
    enum State: DispatchState {
      typealias RelatedStoreType = PayloadStore
      case first(Log<Bool>), second(Released)
    }

    func reduce(with state: State) {
      if case .first(let held) = state {
        Dispatcher.shared.dispatch(State.second(Released(in: held)))
      }
    }
  }

  /// A clock with instants that note whether the thread holds a lock of the library.
  private struct NotingClock: Clock {
    struct Instant: InstantProtocol {
      let held: Log<Bool>

      func advanced(by _: Duration) -> Instant { note(self) }
      func duration(to _: Instant) -> Duration { note(.zero) }
      func hash(into _: inout Hasher) {}

      static func == (_: Instant, _: Instant) -> Bool { true }
      static func < (_: Instant, _: Instant) -> Bool { false }

      private func note<Result>(_ result: Result) -> Result {
        held.append(heldLocks != (0, 0))
        return result
      }
    }

    let held: Log<Bool>
    let minimumResolution = Duration.zero

    var now: Instant { Instant(held: held) }

    func sleep(until _: Instant, tolerance _: Duration?) async throws {}
  }
#endif
