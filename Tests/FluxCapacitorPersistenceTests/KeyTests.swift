import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// B13: one keeper saves the stores of many dispatchers, each in the file of its key.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct KeyTests {
  private let folder: TemporaryFolder
  private let keeper: Keeper

  init() throws {
    folder = try TemporaryFolder()
    keeper = try Keeper(directory: folder.url, clock: ManualClock())
  }

  @Test func eachKeyHasAFileAndADispatcher() async throws {
    let keys = ["general", "Général", "a/b", "", "..", "A", "a", "\0", "👨‍👩‍👧", "key-.aside-1"]
    for (number, key) in keys.enumerated() {
      let dispatcher = Dispatcher()
      let store = try keeper.open(CounterStore.self, key: key, on: dispatcher)
      dispatcher.dispatch(Dispatcher.Counter.set(number + 1))
      try await keeper.close(CounterStore.self, key: key)
      withExtendedLifetime(store) {}
    }

    for (number, key) in keys.enumerated() {
      let store = try keeper.open(CounterStore.self, key: key, on: Dispatcher())
      #expect(store.count.value == number + 1, "\(key)")
    }
    let names = try folder.contents.keys.filter { $0.hasSuffix(".json") }
    #expect(names.count == keys.count)
    #expect(names.contains("counter.key-general.json"))
    #expect(names.contains("counter.key-%41.json"))
    #expect(names.allSatisfy { $0.lowercased() == $0 })
  }

  @Test func longKeysThatDifferAtTheirEndHaveDifferentFiles() throws {
    let long = String(repeating: "k", count: 5_000)
    let names = ["a", "b"].map { FileName(of: "counter", key: long + $0).current }

    #expect(names[0] != names[1])
    #expect(names.allSatisfy { $0.utf8.count < 200 })
    #expect(FileName(of: "counter", key: "e\u{301}") == FileName(of: "counter", key: "\u{e9}"))
    // The test vectors of FIPS 180-4.
    #expect(
      SHA256.hash(of: Array("abc".utf8))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    #expect(
      SHA256.hash(of: Array(repeating: UInt8(ascii: "a"), count: 1_000))
        == "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
    )
  }

  @Test func flushOfAKeySavesAChangeOutsideOfReduces() async throws {
    let store = try keeper.open(LoudNotesStore.self, key: "a", on: Dispatcher())
    store.count.value = 3
    try await keeper.flush(LoudNotesStore.self, key: "a")
    #expect(keeper.saved(LoudNotesStore.self, key: "a").value == 3)
  }

  @Test func changeByTheReduceOfAnotherStoreIsSaved() async throws {
    let dispatcher = Dispatcher()
    let store = try keeper.open(LoudNotesStore.self, key: "a", on: dispatcher)
    let meddler = MeddlingStore.instantiate(on: dispatcher)
    meddler.notes.withLock { $0 = store }
    for number in 1...2 {
      dispatcher.dispatch(Dispatcher.Counter.set(number))
      try await keeper.flush()
      #expect(keeper.saved(LoudNotesStore.self, key: "a").value == number)
    }
    withExtendedLifetime((store, meddler)) {}
  }

  @Test(arguments: [false, true])
  func storeThatIsReleasedInATransactionIsSaved(isInReduce: Bool) async throws {
    let dispatcher = Dispatcher()
    let meddler = MeddlingStore.instantiate(on: dispatcher)
    for number in 1...2 {
      do {
        let store = try keeper.open(LoudNotesStore.self, key: "a", on: dispatcher)
        meddler.notes.withLock { $0 = store }
      }
      if isInReduce {
        dispatcher.dispatch(Dispatcher.Counter.set(-number))
      } else {
        dispatcher.transaction { meddler.reduce(with: .set(-number)) }
      }
      try await keeper.flush()
      #expect(keeper.saved(LoudNotesStore.self, key: "a").value == -number)
    }
  }

  @Test func storeThatIsOpenedInATransactionIsSaved() async throws {
    let dispatcher = Dispatcher()
    let store = try dispatcher.transaction {
      let store = try keeper.open(LoudNotesStore.self, key: "a", on: dispatcher)
      store.count.value = 1
      return store
    }
    try await keeper.flush()
    #expect(keeper.saved(LoudNotesStore.self, key: "a").value == 1)
    withExtendedLifetime(store) {}
  }

  @Test func storeThatTheReduceOfAnotherStoreOpensIsSaved() async throws {
    let dispatcher = Dispatcher()
    let meddler = MeddlingStore.instantiate(on: dispatcher)
    meddler.open.withLock { [keeper] in
      $0 = { try keeper.open(LoudNotesStore.self, key: "a", on: dispatcher) }
    }
    dispatcher.dispatch(Dispatcher.Counter.set(1))
    try await keeper.flush()
    #expect(keeper.saved(LoudNotesStore.self, key: "a").value == 1)
  }

  @Test func closedKeyIsOpenedAgainOnAnotherDispatcher() async throws {
    for number in 1...20 {
      let dispatcher = Dispatcher()
      let store = try keeper.open(CounterStore.self, key: "a", on: dispatcher)
      #expect(store.count.value == number - 1)
      dispatcher.dispatch(Dispatcher.Counter.add(1))
      try await keeper.close(CounterStore.self, key: "a")
      dispatcher.dispatch(Dispatcher.Counter.set(-1))
      try await keeper.flush()
    }
    try await keeper.close(CounterStore.self, key: "unknown")

    let store = try keeper.open(CounterStore.self, key: "a", on: Dispatcher())
    #expect(store.count.value == 20)
  }

  @Test func keyThatIsOpenOnOneDispatcherIsRefusedOnAnother() async throws {
    let first = try keeper.open(CounterStore.self, key: "a", on: .shared)
    let again = try keeper.open(CounterStore.self, key: "a", on: .shared)

    #expect(first === again)
    let failure = #expect(throws: KeeperFailure.self) {
      try keeper.open(CounterStore.self, key: "a", on: Dispatcher())
    }
    #expect(failure?.cause == .storeExists("CounterStore"))
  }

  @Test func keeperOfManyKeysUsesOneDescriptorAndReleasesClosedSessions() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let keeper = try Keeper(directory: folder.url, clock: ManualClock())
      let before = descriptors()
      var dispatchers: [() -> Dispatcher?] = []
      for number in 1...300 {
        let dispatcher = Dispatcher()
        let store = try keeper.open(CounterStore.self, key: "\(number)", on: dispatcher)
        dispatcher.dispatch(Dispatcher.Counter.set(number))
        dispatchers.append { [weak dispatcher] in dispatcher }
        withExtendedLifetime(store) {}
      }
      #expect(descriptors() <= before + 10)
      try await keeper.flush()
      for number in 1...300 { try await keeper.close(CounterStore.self, key: "\(number)") }

      #expect(dispatchers.allSatisfy { $0() == nil })
      #expect(try folder.contents.keys.count { $0.hasSuffix(".json") } == 300)
    }
  }

  // MARK: Shared saves

  @Test func flushOfAKeyThrowsOnlyTheFailureOfThisKey() async throws {
    let dispatchers = ["a": Dispatcher(), "b": Dispatcher()]
    let stores = try dispatchers.map { key, dispatcher in
      try keeper.open(CounterStore.self, key: key, on: dispatcher)
    }
    for dispatcher in dispatchers.values { dispatcher.dispatch(Dispatcher.Counter.set(1)) }
    let obstacle = folder.file("counter.key-b.json")
    try FileManager.default.createDirectory(
      at: obstacle.appendingPathComponent("folder"),
      withIntermediateDirectories: true
    )

    try await keeper.flush(CounterStore.self, key: "a")
    let failure = await #expect(throws: KeeperFailure.self) {
      try await keeper.flush(CounterStore.self, key: "b")
    }
    await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    #expect(failure?.file.lastPathComponent == "counter.key-b.json")
    #expect(keeper.failure.value?.file.lastPathComponent == "counter.key-b.json")

    try FileManager.default.removeItem(at: obstacle)
    try await keeper.flush(CounterStore.self, key: "b")
    #expect(keeper.saved(CounterStore.self, key: "b").value == 1)
    #expect(keeper.failure.value == nil)
    withExtendedLifetime(stores) {}
  }

  @Test func passSynchronizesTheNamesOfAllFilesByOneCall() async throws {
    let system = FaultyFileSystem.intact
    let (keeper, stores) = try openTenKeys(of: "intact", system)
    let before = system.calls.count { $0 == "fsync" }
    try await keeper.flush()
    let place = try #require(system.calls.lastIndex(of: "fsync"))
    #expect(system.calls.count { $0 == "fsync" } - before == 11)

    // If this call fails, no value is saved.
    let (other, otherStores) = try openTenKeys(
      of: "faulty",
      FaultyFileSystem(.error(EIO), at: place)
    )
    let saved = other.saved(CounterStore.self, key: "9")
    await #expect(throws: KeeperFailure.self) {
      try await other.flush(CounterStore.self, key: "9")
    }
    #expect(saved.value == 0)
    try await other.flush(CounterStore.self, key: "9")
    #expect(saved.value == 1)
    withExtendedLifetime((stores, otherStores)) {}
  }

  /// Opens a folder and ten keys, each with a dispatcher and an unsaved change.
  private func openTenKeys(
    of name: String,
    _ system: FaultyFileSystem
  ) throws -> (Keeper, [(Dispatcher, CounterStore)]) {
    let keeper = try Keeper(
      directory: folder.file(name),
      clock: ManualClock(),
      fileSystem: system
    )
    let stores = try (0..<10).map { key in
      let dispatcher = Dispatcher()
      let store = try keeper.open(CounterStore.self, key: "\(key)", on: dispatcher)
      dispatcher.dispatch(Dispatcher.Counter.set(1))
      return (dispatcher, store)
    }
    return (keeper, stores)
  }

  @Test func closeOfTheKeeperSavesEveryKey() async throws {
    let dispatchers = (1...3).map { _ in Dispatcher() }
    let stores = try dispatchers.enumerated().map { number, dispatcher in
      try keeper.open(CounterStore.self, key: "\(number)", on: dispatcher)
    }
    for (number, dispatcher) in dispatchers.enumerated() {
      dispatcher.dispatch(Dispatcher.Counter.set(number + 1))
    }
    try await keeper.close()

    let reader = try Keeper(directory: folder.url, role: .following)
    for number in 0..<3 {
      let store = try reader.open(CounterStore.self, key: "\(number)", on: Dispatcher())
      #expect(store.count.value == number + 1)
    }
    withExtendedLifetime(stores) {}
  }

  /// A store that instantiates another one while it is restored or saved gets the one of its own dispatcher.
  @Test func storeSeesItsDispatcherAsTheSharedOne() async throws {
    let (dispatcher, other) = (Dispatcher(), Dispatcher())
    let keeper = try Keeper(
      directory: folder.url.appendingPathComponent("hosts"),
      clock: ManualClock(),
      savesTimeTravel: false
    )
    let store = try keeper.open(HostStore.self, key: "a", on: dispatcher)
    let circuits = TimeCircuits(dispatcher)
    dispatcher.dispatch(Host.rename("Lou"))
    try await keeper.flush()
    let follower = try Keeper(
      directory: folder.url.appendingPathComponent("hosts"),
      role: .following,
      clock: ManualClock()
    )
    let followed = try follower.open(HostStore.self, key: "a", on: other)
    dispatcher.dispatch(Host.rename("Goldie"))
    circuits.undo()
    circuits.redo()
    dispatcher.dispatch(Host.rename("Wilbur"))
    try await keeper.flush()
    try await follower.flush()

    #expect(followed.name.value == "Wilbur")
    #expect(store.dispatchers.withLock { $0.allSatisfy { $0 === dispatcher } })
    #expect(followed.dispatchers.withLock { $0.allSatisfy { $0 === other } })
  }

  // MARK: The value on the disk

  @Test func savedValueChangesWhenTheFileDoes() async throws {
    let store = try keeper.open(CounterStore.self)
    let saved = keeper.saved(CounterStore.self)
    #expect(saved.value == 0)

    Dispatcher.shared.dispatch(Dispatcher.Counter.set(7))
    #expect(saved.value == 0)
    try await keeper.flush()

    #expect(saved.value == 7)
    #expect(try folder.text(of: "counter.json").contains("7"))
    withExtendedLifetime(store) {}
  }

  @Test func savedValueOfAKeyStartsWithTheRestoredValue() async throws {
    let dispatcher = Dispatcher()
    let store = try keeper.open(CounterStore.self, key: "a", on: dispatcher)
    dispatcher.dispatch(Dispatcher.Counter.set(7))
    try await keeper.close(CounterStore.self, key: "a")
    let again = try keeper.open(CounterStore.self, key: "a", on: Dispatcher())

    #expect(keeper.saved(CounterStore.self, key: "a").value == 7)
    withExtendedLifetime((store, again)) {}
  }

  @Test func savedValueOfAStoreThatIsNotOpenTraps() async {
    await #expect(processExitsWith: .failure) {
      let folder = try TemporaryFolder()
      let keeper = try Keeper(directory: folder.url)
      _ = keeper.saved(CounterStore.self)
    }
  }
}

/// The number of open descriptors, or zero on other systems than Linux.
private func descriptors() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

private enum Host: DispatchState {
  typealias RelatedStoreType = HostStore

  case rename(String)
}

private final class HostStore: Storable, Persistable {
  static let archive = Archive(String.self, named: "host", version: 1)

  /// The shared dispatchers that `saved` and `restore` have seen.
  let dispatchers = Guarded<[Dispatcher]>([])
  let name = Variable("")

  var saved: String {
    dispatchers.withLock { $0.append(.shared) }
    return name.value
  }

  func reduce(with state: Host) {
    switch state {
    case .rename(let name): self.name.value = name
    }
  }

  func restore(_ saved: String) {
    dispatchers.withLock { $0.append(.shared) }
    name.value = saved
  }
}

/// A store whose reduce changes another store, which it releases after a negative number.
private final class MeddlingStore: Storable {
  typealias DispatchStateType = Dispatcher.Counter

  let notes = Guarded<LoudNotesStore?>(nil)
  let open = Guarded<(@Sendable () throws -> LoudNotesStore)?>(nil)

  func reduce(with state: Dispatcher.Counter) {
    if let opened = try? open.withLock({ $0 })?() { notes.withLock { $0 = opened } }
    let store = notes.withLock { state.number < 0 ? $0.take() : $0 }
    store?.count.value = state.number
  }
}
