import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// B13: keepers of several processes share a storage. Each write names the revision that it replaces.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct StorageTests {
  private let storage = MemoryStorage()

  private func newKeeper(clock: any Clock<Duration> = ManualClock()) -> Keeper {
    Keeper(storage: storage, dispatcher: Dispatcher(), clock: clock)
  }

  /// Loads a key on a new dispatcher.
  private func load(
    _ key: String = "a",
    by keeper: Keeper
  ) async throws -> (CounterStore, Dispatcher) {
    let dispatcher = Dispatcher()
    return (try await keeper.load(CounterStore.self, key: key, on: dispatcher), dispatcher)
  }

  private func cause(_ body: () async throws -> Void) async -> KeeperFailure.Cause? {
    do { try await body() } catch { return (error as? KeeperFailure)?.cause }
    return nil
  }

  @Test func valueIsSavedAndRestored() async throws {
    let keeper = newKeeper()
    let (store, dispatcher) = try await load(by: keeper)
    #expect(storage.contents.isEmpty)
    dispatcher.dispatch(Dispatcher.Counter.set(7))
    #expect(keeper.saved(CounterStore.self, key: "a").value == 0)
    try await keeper.flush(CounterStore.self, key: "a")
    #expect(keeper.saved(CounterStore.self, key: "a").value == 7)
    #expect(Array(storage.contents.keys) == ["counter.key-a.json"])
    let second = try await load(by: newKeeper())
    #expect(second.0.count.value == 7)
    withExtendedLifetime(store) {}
  }

  @Test func storeWithoutAKeyUsesTheKeepersDispatcher() async throws {
    let dispatcher = Dispatcher()
    let keeper = Keeper(storage: storage, dispatcher: dispatcher, clock: ManualClock())
    let store = try await keeper.load(CounterStore.self)
    dispatcher.dispatch(Dispatcher.Counter.set(3))
    try await keeper.flush()
    #expect(keeper.saved(CounterStore.self).value == 3)
    #expect(!keeper.isSuperseded(CounterStore.self).value)
    #expect(Array(storage.contents.keys) == ["counter.json"])
    withExtendedLifetime(store) {}
  }

  /// The description of Foundation's errors contains the address.
  @Test func failureOfAStorageHasNoAddress() async throws {
    struct RemoteStorage: KeeperStorage {
      func read(_: String) async throws -> StoredContents? {
        let address = "https://doc:1985@example.com/?token=1955"
        throw NSError(domain: "Remote", code: 88, userInfo: ["address": address])
      }

      func write(_: [StorageWrite]) async throws -> [String: String] { [:] }
    }

    let keeper = Keeper(storage: RemoteStorage(), dispatcher: Dispatcher())
    let failure = await #expect(throws: KeeperFailure.self) {
      try await keeper.load(CounterStore.self)
    }

    #expect(failure?.cause == .storage("Remote 88"))
  }

  @Test func failureQuotesNoErrorInsideAnother() async throws {
    let url = URL(string: "https://doc:1985@example.com/?token=1955")!
    let network = URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: url])
    let context = DecodingError.Context(codingPath: [], debugDescription: "no number: 1985")
    let decoding = Quoting(inner: DecodingError.dataCorrupted(context))
    let endless = EndlessError()
    endless.inner = endless
    defer { endless.inner = nil }
    var reasons: [String] = []
    let deep = AttemptsError(attempts: ["a": [Attempt(result: .failure(network))]])
    let heir = InheritingError(inner: network)
    let errors: [any Error] = [WrappingError.network(network), decoding, endless, deep, heir]
    for error in errors {
      storage.failWrites(with: error)
      let keeper = newKeeper()
      let (store, dispatcher) = try await load(by: keeper)
      dispatcher.dispatch(Dispatcher.Counter.add(1))
      let cause = await cause { try await keeper.flush() }
      if case .storage(let reason) = cause { reasons.append(reason) }
      withExtendedLifetime(store) {}
    }

    try #require(reasons.count == errors.count)
    #expect(reasons[0] == "WrappingError.network (NSURLErrorDomain -1001)")
    #expect(reasons[1] == "Quoting.inner (the value is invalid)")
    #expect(reasons[2] == "EndlessError")
    #expect(reasons[3] == "AttemptsError.attempts (NSURLErrorDomain -1001)")
    #expect(reasons[4] == "InheritingError.inner (NSURLErrorDomain -1001)")
  }

  @Test func failureIsDescribedWithoutTheObjectsThatItsErrorKnows() async throws {
    storage.failReads(with: GuestError(guest: Guest(of: Host())))

    await #expect(cause { _ = try await load(by: newKeeper()) } == .storage("GuestError"))
  }

  @Test func folderLoadsTheSameWay() async throws {
    let folder = try TemporaryFolder()
    let keeper = try Keeper(directory: folder.url, dispatcher: Dispatcher(), clock: ManualClock())
    let (store, dispatcher) = try await load(by: keeper)
    dispatcher.dispatch(Dispatcher.Counter.set(2))
    try await keeper.close()
    #expect(try folder.contents.keys.contains("counter.key-a.json"))
    withExtendedLifetime(store) {}
  }

  @Test func unchangedStoreIsNotWritten() async throws {
    let keeper = newKeeper()
    let (store, dispatcher) = try await load(by: keeper)
    try await keeper.flush(CounterStore.self, key: "a")
    dispatcher.dispatch(Dispatcher.Counter.set(0))
    try await keeper.flush()
    #expect(storage.writeCount == 0)
    dispatcher.dispatch(Dispatcher.Counter.set(1))
    try await keeper.flush()
    dispatcher.dispatch(Dispatcher.Counter.set(1))
    try await keeper.close()
    #expect(storage.writeCount == 1)
    withExtendedLifetime(store) {}
  }

  @Test func changeIsSavedAfterTheDelay() async throws {
    let clock = ManualClock()
    let keeper = newKeeper(clock: clock)
    let (store, dispatcher) = try await load(by: keeper)
    let saved = keeper.saved(CounterStore.self, key: "a").values
    dispatcher.dispatch(Dispatcher.Counter.set(4))
    await clock.advance(by: .milliseconds(500))
    #expect(await saved.first { $0 == 4 } == 4)
    withExtendedLifetime(store) {}
  }

  // MARK: - Two keepers

  @Test func keeperWhoseValueWasReplacedSavesNothing() async throws {
    let (old, new) = (newKeeper(), newKeeper())
    let (oldStore, oldDispatcher) = try await load(by: old)
    let (newStore, newDispatcher) = try await load(by: new)
    let isSuperseded = old.isSuperseded(CounterStore.self, key: "a")
    newDispatcher.dispatch(Dispatcher.Counter.set(5))
    try await new.flush(CounterStore.self, key: "a")

    oldDispatcher.dispatch(Dispatcher.Counter.set(9))
    for _ in 1...2 {
      #expect(await cause { try await old.flush(CounterStore.self, key: "a") } == .superseded)
      #expect(await cause { try await old.flush() } == .superseded)
    }
    #expect(old.failure.value?.cause == .superseded)
    #expect(isSuperseded.value)
    #expect(old.saved(CounterStore.self, key: "a").value == 0)
    #expect(storage.writeCount == 1)

    // A live store with the key must be released first, as with files.
    #expect(
      await cause { _ = try await load(by: old) } == .storeExists("\(CounterStore.self)")
    )
    try await old.close(CounterStore.self, key: "a")
    let (next, dispatcher) = try await load(by: old)
    #expect(next.count.value == 5)
    dispatcher.dispatch(Dispatcher.Counter.set(6))
    try await old.flush()
    #expect(await cause { try await new.flush(CounterStore.self, key: "a") } == .superseded)
    withExtendedLifetime((oldStore, newStore, next)) {}
  }

  @Test func flushOfAnUnchangedStoreAcknowledgesNothingOld() async throws {
    let (old, new) = (newKeeper(), newKeeper())
    let (oldStore, _) = try await load(by: old)
    let (newStore, dispatcher) = try await load(by: new)
    try await old.flush(CounterStore.self, key: "a")
    dispatcher.dispatch(Dispatcher.Counter.set(5))
    try await new.flush()
    #expect(await cause { try await old.flush(CounterStore.self, key: "a") } == .superseded)
    withExtendedLifetime((oldStore, newStore)) {}
  }

  @Test func closeThatLosesAChangeFailsOnce() async throws {
    let (old, new) = (newKeeper(), newKeeper())
    let (oldStore, oldDispatcher) = try await load(by: old)
    let (newStore, newDispatcher) = try await load(by: new)
    newDispatcher.dispatch(Dispatcher.Counter.set(5))
    try await new.flush()
    oldDispatcher.dispatch(Dispatcher.Counter.set(9))
    #expect(await cause { try await old.close(CounterStore.self, key: "a") } == .superseded)
    // The key is still open, so that no flush succeeds.
    #expect(await cause { try await old.flush(CounterStore.self, key: "a") } == .superseded)
    try await old.close(CounterStore.self, key: "a")
    try await old.flush()
    withExtendedLifetime((oldStore, newStore)) {}
  }

  @Test(arguments: [false, true])
  func closeThatLosesAChangeFailsOnceAfterABackgroundSaveToo(isOfAll: Bool) async throws {
    let clock = ManualClock()
    let (old, new) = (newKeeper(clock: clock), newKeeper())
    let (oldStore, oldDispatcher) = try await load(by: old)
    let (newStore, newDispatcher) = try await load(by: new)
    newDispatcher.dispatch(Dispatcher.Counter.set(5))
    try await new.flush()
    oldDispatcher.dispatch(Dispatcher.Counter.set(9))
    await clock.sleeping()
    await clock.advance(by: .seconds(1))
    let isSuperseded = old.isSuperseded(CounterStore.self, key: "a")
    for await isKnown in isSuperseded.values where isKnown { break }
    func close() async throws {
      if isOfAll { return try await old.close() }
      try await old.close(CounterStore.self, key: "a")
    }
    #expect(await cause(close) == .superseded)
    try await close()
    withExtendedLifetime((oldStore, newStore)) {}
  }

  /// Nobody has learned that the change is lost.
  @Test func flushOfASupersededStoreThatNobodyUsesFails() async throws {
    let clock = ManualClock()
    let (old, new) = (newKeeper(clock: clock), newKeeper())
    weak var released: CounterStore?
    do {
      let (oldStore, oldDispatcher) = try await load(by: old)
      let (newStore, newDispatcher) = try await load(by: new)
      newDispatcher.dispatch(Dispatcher.Counter.set(5))
      try await new.flush()
      oldDispatcher.dispatch(Dispatcher.Counter.set(9))
      released = oldStore
      withExtendedLifetime((oldStore, newStore)) {}
    }
    await clock.advance(by: .seconds(1))
    #expect(released == nil)
    for _ in 1...2 {
      #expect(await cause { try await old.flush(CounterStore.self, key: "a") } == .superseded)
    }
    let (next, dispatcher) = try await load(by: old)
    dispatcher.dispatch(Dispatcher.Counter.set(next.count.value + 1))
    try await old.flush(CounterStore.self, key: "a")
    #expect(old.saved(CounterStore.self, key: "a").value == 6)
  }

  @Test func otherKeysOfASupersededKeeperAreSaved() async throws {
    let (old, new) = (newKeeper(), newKeeper())
    let (oldStore, _) = try await load(by: old)
    let (otherStore, otherDispatcher) = try await load("b", by: old)
    let (newStore, dispatcher) = try await load(by: new)
    dispatcher.dispatch(Dispatcher.Counter.set(5))
    try await new.flush()
    otherDispatcher.dispatch(Dispatcher.Counter.set(8))
    async let superseded: Void = old.flush(CounterStore.self, key: "a")
    try await old.flush(CounterStore.self, key: "b")
    #expect(old.saved(CounterStore.self, key: "b").value == 8)
    _ = try? await superseded
    try? await old.close()
    try await old.close()
    withExtendedLifetime((oldStore, otherStore, newStore)) {}
  }

  // MARK: - Failures

  @Test func failedWriteIsTriedAgain() async throws {
    let clock = ManualClock()
    let keeper = newKeeper(clock: clock)
    let (store, dispatcher) = try await load(by: keeper)
    storage.failWrites(with: POSIXError(.ENOSPC))
    dispatcher.dispatch(Dispatcher.Counter.set(4))
    let cause = await cause { try await keeper.flush(CounterStore.self, key: "a") }
    guard case .storage(let reason) = cause else {
      Issue.record("\(String(describing: cause))")
      return
    }
    #expect(reason.contains("ENOSPC") || reason.contains("28"))
    #expect("\(keeper.failure.value!)".contains("/storage/counter.key-a.json"))
    storage.failWrites(with: nil)
    let failure = keeper.failure.values
    await clock.advance(by: .seconds(1))
    #expect(await failure.first { $0 == nil } == .some(nil))
    #expect(keeper.saved(CounterStore.self, key: "a").value == 4)
    withExtendedLifetime(store) {}
  }

  @Test func writeWhoseAnswerIsLostSupersedesNothing() async throws {
    let keeper = newKeeper()
    let (store, dispatcher) = try await load(by: keeper)
    for number in 1...3 {
      storage.failWrites(with: POSIXError(.ECONNRESET), afterWriting: true)
      dispatcher.dispatch(Dispatcher.Counter.set(number))
      await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
      #expect(keeper.saved(CounterStore.self, key: "a").value == number - 1)
      storage.failWrites(with: nil)
      try await keeper.flush(CounterStore.self, key: "a")
      #expect(keeper.saved(CounterStore.self, key: "a").value == number)
    }
    #expect(!keeper.isSuperseded(CounterStore.self, key: "a").value)
    withExtendedLifetime(store) {}
  }

  @Test func valueBeforeALostWriteIsWrittenAgain() async throws {
    let keeper = newKeeper()
    let (store, dispatcher) = try await load(by: keeper)
    dispatcher.dispatch(Dispatcher.Counter.set(1))
    try await keeper.flush()
    storage.failWrites(with: POSIXError(.ECONNRESET), afterWriting: true)
    dispatcher.dispatch(Dispatcher.Counter.set(2))
    await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    storage.failWrites(with: nil)
    dispatcher.dispatch(Dispatcher.Counter.set(1))
    try await keeper.close()
    let next = try await load(by: newKeeper())
    #expect(next.0.count.value == 1)
    withExtendedLifetime(store) {}
  }

  /// A storage that refuses the value of one key.
  private struct Picky: KeeperStorage {
    let storage: MemoryStorage
    let calls = Log<[String]>()

    func read(_ name: String) async throws -> StoredContents? { try await storage.read(name) }

    func write(_ writes: [StorageWrite]) async throws -> [String: String] {
      let names = writes.map(\.name)
      calls.append(names)
      #expect(Set(names).count == names.count)
      if names.contains("counter.key-a.json") { throw POSIXError(.EFBIG) }
      return try await storage.write(writes)
    }
  }

  @Test(arguments: [1, 3])
  func valueThatTheStorageRefusesDoesNotConcernOtherKeys(_ refused: Int) async throws {
    let picky = Picky(storage: storage)
    let keeper = Keeper(storage: picky, dispatcher: Dispatcher(), clock: ManualClock())
    var (stores, dispatchers): ([CounterStore], [Dispatcher]) = ([], [])
    for key in ["a", "b", "c", "d"] {
      let (store, dispatcher) = try await load(key, by: keeper)
      dispatcher.dispatch(Dispatcher.Counter.set(1))
      stores.append(store)
      dispatchers.append(dispatcher)
    }
    for _ in 1...refused {
      await #expect(throws: KeeperFailure.self) {
        try await keeper.flush(CounterStore.self, key: "a")
      }
    }
    for key in ["b", "c", "d"] {
      try await keeper.flush(CounterStore.self, key: key)
      #expect(keeper.saved(CounterStore.self, key: key).value == 1)
    }
    // The other keys share a write again.
    for dispatcher in dispatchers { dispatcher.dispatch(Dispatcher.Counter.set(2)) }
    _ = try? await keeper.flush()
    #expect(picky.calls.entries[0].count == 4)
    #expect(picky.calls.entries.contains { $0.count == 3 })
    withExtendedLifetime(stores) {}
  }

  @Test func failedStorageIsNotAskedForEachKey() async throws {
    struct Down: KeeperStorage {
      let calls = Log<Void>()

      func read(_: String) async -> StoredContents? { nil }

      func write(_: [StorageWrite]) async throws -> [String: String] {
        calls.append(())
        throw POSIXError(.ECONNREFUSED)
      }
    }
    let down = Down()
    let keeper = Keeper(storage: down, dispatcher: Dispatcher(), clock: ManualClock())
    var stores: [CounterStore] = []
    for key in 1...50 {
      let (store, dispatcher) = try await load("\(key)", by: keeper)
      dispatcher.dispatch(Dispatcher.Counter.set(1))
      stores.append(store)
    }
    for flushes in 1...3 {
      await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
      #expect(down.calls.entries.count <= 3 * flushes)
    }
    withExtendedLifetime(stores) {}
  }

  @Test func storageThatReturnsNoRevisionsIsAFailure() async throws {
    struct Silent: KeeperStorage {
      let storage = MemoryStorage()

      func read(_ name: String) async throws -> StoredContents? { try await storage.read(name) }

      func write(_ writes: [StorageWrite]) async throws -> [String: String] {
        _ = try await storage.write(writes)
        return [:]
      }
    }
    let keeper = Keeper(storage: Silent(), dispatcher: Dispatcher(), clock: ManualClock())
    let (store, dispatcher) = try await load(by: keeper)
    dispatcher.dispatch(Dispatcher.Counter.set(1))
    for _ in 1...2 {
      guard case .storage = await cause({ try await keeper.flush() }) else {
        Issue.record("The storage has not failed.")
        return
      }
    }
    withExtendedLifetime(store) {}
  }

  @Test func failureOfACheckEndsWithTheStoragesFailure() async throws {
    let clock = ManualClock()
    let keeper = newKeeper(clock: clock)
    let (store, _) = try await load(by: keeper)
    storage.failWrites(with: POSIXError(.EIO))
    for _ in 1...10 { _ = try? await keeper.flush(CounterStore.self, key: "a") }
    #expect(keeper.failure.value != nil)
    storage.failWrites(with: nil)
    let failure = keeper.failure.values
    await clock.advance(by: .seconds(1))
    #expect(await failure.first { $0 == nil } == .some(nil))
    withExtendedLifetime(store) {}
  }

  @Test func supersededStoreWithoutAKeyIsLoadedAgainAfterItsRelease() async throws {
    let dispatchers = [Dispatcher(), Dispatcher()]
    let keepers = dispatchers.map { dispatcher in
      Keeper(storage: Picky(storage: storage), dispatcher: dispatcher, clock: ManualClock())
    }
    var old: CounterStore? = try await keepers[0].load(CounterStore.self)
    let new = try await keepers[1].load(CounterStore.self)
    dispatchers[1].dispatch(Dispatcher.Counter.set(5))
    try await keepers[1].flush()
    dispatchers[0].dispatch(Dispatcher.Counter.set(9))
    #expect(await cause { try await keepers[0].flush() } == .superseded)
    #expect(old?.count.value == 9)
    old = nil
    try await keepers[0].flush()
    let next = try await keepers[0].load(CounterStore.self)
    dispatchers[0].dispatch(Dispatcher.Counter.set(next.count.value + 1))
    try await keepers[0].flush()
    #expect(keepers[0].saved(CounterStore.self).value == 6)
    #expect(keepers[0].failure.value == nil)
    withExtendedLifetime(new) {}
  }

  @Test func failureOfAClosedKeyEnds() async throws {
    let (old, new) = (newKeeper(), newKeeper())
    let (oldStore, _) = try await load(by: old)
    let (newStore, dispatcher) = try await load(by: new)
    dispatcher.dispatch(Dispatcher.Counter.set(5))
    try await new.flush()
    #expect(await cause { try await old.flush(CounterStore.self, key: "a") } == .superseded)
    #expect(old.failure.value?.cause == .superseded)
    try await old.close(CounterStore.self, key: "a")
    #expect(old.failure.value == nil)
    try await old.close()
    #expect(await cause { try await old.flush() } == .closed)
    #expect(old.failure.value == nil)
    withExtendedLifetime((oldStore, newStore)) {}
  }

  @Test func failedReadLeavesTheKeyClosed() async throws {
    let keeper = newKeeper()
    storage.failReads(with: POSIXError(.EIO))
    await #expect(throws: KeeperFailure.self) { try await load(by: keeper) }
    storage.failReads(with: CancellationError())
    await #expect(throws: CancellationError.self) { try await load(by: keeper) }
    storage.failReads(with: nil)
    let (store, _) = try await load(by: keeper)
    withExtendedLifetime(store) {}
  }

  @Test func valueThatCannotBeDecodedIsLeftAlone() async throws {
    let text = #"{"format": 1, "version": 2, "saved": 7}"#
    _ = try await storage.write([
      StorageWrite(name: "counter.key-a.json", contents: Data(text.utf8), replacing: nil)
    ])
    #expect(await cause { _ = try await load(by: newKeeper()) } == .newerVersion(known: 1))
    #expect(storage.writeCount == 1)
  }

  @Test func valueOfAFileCanBeMovedToAStorage() async throws {
    let text = #"{"format": 1, "version": 1, "saved": 7}"#
    _ = try await storage.write([
      StorageWrite(name: "counter.key-a.json", contents: Data(text.utf8), replacing: nil)
    ])
    let keeper = newKeeper()
    let (store, dispatcher) = try await load(by: keeper)
    #expect(store.count.value == 7)
    dispatcher.dispatch(Dispatcher.Counter.set(8))
    try await keeper.close()
    #expect(storage.writeCount == 2)
    #expect(await cause { try await keeper.flush() } == .closed)
    #expect(await cause { _ = try await load(by: keeper) } == .closed)
  }

  @Test func openOnAStorageTraps() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let keeper = Keeper(storage: MemoryStorage())
      _ = try keeper.open(CounterStore.self, key: "a", on: Dispatcher())
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("A keeper with a storage opens CounterStore with"))
  }

  @Test func releasedKeeperSavesItsLastChange() async throws {
    var keeper: Keeper? = newKeeper(clock: ContinuousClock())
    let (store, dispatcher) = try await load(by: keeper!)
    let saved = keeper!.saved(CounterStore.self, key: "a").values
    dispatcher.dispatch(Dispatcher.Counter.set(4))
    keeper = nil
    #expect(await saved.first { $0 == 4 } == 4)
    withExtendedLifetime(store) {}
  }

  // MARK: - Sessions

  private final class Session: Sendable {
    let key: String
    let store: CounterStore
    let invoker: Invoker<Dispatcher.Counter>

    init(_ key: String, _ keeper: Keeper, on dispatcher: Dispatcher) async throws {
      self.key = key
      store = try await keeper.load(CounterStore.self, key: key, on: dispatcher)
      invoker = Invoker(on: dispatcher)
    }
  }

  private func newSessions(_ keeper: Keeper) -> Sessions<String, Session> {
    Sessions(idle: .seconds(3_600), clock: ManualClock()) { key, dispatcher in
      try await Session(key, keeper, on: dispatcher)
    } close: { session in
      try await keeper.close(CounterStore.self, key: session.key)
    } isOver: { session in
      keeper.isSuperseded(CounterStore.self, key: session.key)
    }
  }

  @Test func supersededSessionIsOpenedAgainWithTheNewestValue() async throws {
    let keepers = [newKeeper(), newKeeper()]
    let sessions = keepers.map(newSessions)
    @Sendable func add(at index: Int) async throws -> Int {
      try await sessions[index].with("a") { session in
        session.invoker.invoke(.set(session.store.count.value + 1))
        try await keepers[index].flush(CounterStore.self, key: "a")
        return session.store.count.value
      }
    }
    #expect(try await add(at: 0) == 1)
    #expect(try await add(at: 1) == 2)
    for turn in 1...5 {
      let index = (turn + 1) % 2
      #expect(await cause { _ = try await add(at: index) } == .superseded)
      #expect(try await add(at: index) == turn + 2)
    }
    for sessions in sessions { await sessions.shutDown() }
  }

  @Test func useOfASupersededSessionWaitsForTheNextOne() async throws {
    let (keeper, other) = (newKeeper(), newKeeper())
    let (sessions, gate) = (newSessions(keeper), FluxCapacitorTesting.Gate())
    let first = Task { try await sessions.with("a") { _ in await gate.pass() } }
    await gate.reached()
    let (store, dispatcher) = try await load(by: other)
    dispatcher.dispatch(Dispatcher.Counter.set(5))
    try await other.flush()
    #expect(await cause { try await keeper.flush(CounterStore.self, key: "a") } == .superseded)
    let value = Locked<Int?>(nil)
    let second = Task { try await sessions.with("a") { value.set($0.store.count.value) } }
    while sessions.waiterCount == 0, value.value == nil { await Task.yield() }
    gate.open()
    try await first.value
    try await second.value
    #expect(value.value == 5)
    await sessions.shutDown()
    withExtendedLifetime(store) {}
  }

  @Test func loadsAtTheSameTimeReturnTheSameStore() async throws {
    let (keeper, dispatcher) = (newKeeper(), Dispatcher())
    let stores = try await withThrowingTaskGroup(of: CounterStore.self) { group in
      for _ in 1...20 {
        group.addTask { try await keeper.load(CounterStore.self, key: "a", on: dispatcher) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(stores.allSatisfy { $0 === stores[0] })
  }

  @Test func loadsAtTheSameTimeShareAFailure() async throws {
    let storage = SlowStorage()
    let keeper = Keeper(storage: storage, dispatcher: Dispatcher())
    let loads = (1...20).map { _ in
      Task { await cause { _ = try await load(by: keeper) } }
    }
    await storage.gate.reached()
    while keeper.openingWaiterCount < 19 { await Task.yield() }
    storage.gate.open()

    for load in loads { #expect(await load.value == .storage("NSPOSIXErrorDomain 5")) }
    #expect(storage.reads.value == 1)
  }
}

/// A storage that doesn't answer until a gate opens, and then with an error.
private final class SlowStorage: KeeperStorage {
  let (gate, reads) = (FluxCapacitorTesting.Gate(), Locked(0))

  func read(_: String) async throws -> StoredContents? {
    reads.set(reads.value + 1)
    await gate.pass()
    throw POSIXError(.EIO)
  }

  func write(_: [StorageWrite]) async throws -> [String: String] { [:] }
}

/// An error with an object that mustn't be read, because its host is gone.
private struct GuestError: Error, CustomStringConvertible {
  let guest: Guest

  var description: String { "a guest" }
}

private final class Host: Sendable {}

private final class Guest: Sendable {
  unowned let host: Host

  init(of host: Host) { self.host = host }
}

private enum WrappingError: Error {
  case network(any Error)
}

private struct Quoting: Error, CustomStringConvertible {
  let inner: any Error

  var description: String { "\(inner)" }
}

private struct AttemptsError: Error {
  let attempts: [String: [Attempt]]
}

private struct Attempt {
  let result: Result<Int, any Error>?
}

private class OuterError: Error, CustomStringConvertible, @unchecked Sendable {
  let inner: any Error

  init(inner: any Error) { self.inner = inner }

  var description: String { "\(inner)" }
}

private final class InheritingError: OuterError, @unchecked Sendable {}

private final class EndlessError: Error, @unchecked Sendable {
  var inner: (any Error)?
}
