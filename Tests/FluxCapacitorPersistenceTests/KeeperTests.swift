import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct KeeperTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: - Saving and restoring

  @Test func storeIsRestoredAfterItsKeeperWasClosed() async throws {
    try await withDispatcher(Dispatcher()) {
      let keeper = try Keeper(directory: folder.url)
      let store = try keeper.open(NotesStore.self)
      NotesAction().add("Roads")
      try await keeper.close()
      withExtendedLifetime(store) {}
    }

    let keeper = try Keeper(directory: folder.url)
    let store = try keeper.open(NotesStore.self)

    #expect(store.notes.value == ["Roads"])
    withExtendedLifetime(keeper) {}
  }

  @Test func storeWithoutAFileStartsInItsInitialState() throws {
    let keeper = try Keeper(directory: folder.url)

    let store = try keeper.open(NotesStore.self)

    #expect(store.notes.value == [])
    #expect(folder.names == [])
    withExtendedLifetime(keeper) {}
  }

  @Test func openReturnsTheStoreThatInstantiateReturns() throws {
    let keeper = try Keeper(directory: folder.url)

    let store = try keeper.open(NotesStore.self)

    #expect(NotesStore.instantiate() === store)
    #expect(try keeper.open(NotesStore.self) === store)
  }

  @Test func storeThatExistedBeforeOpenIsAnError() throws {
    let keeper = try Keeper(directory: folder.url)
    let store = NotesStore.instantiate()

    let error = #expect(throws: KeeperFailure.self) { try keeper.open(NotesStore.self) }

    #expect(error?.cause == .storeExists("NotesStore"))
    withExtendedLifetime(store) {}
  }

  @Test func clearedStoreMustBeSavedBeforeItIsOpenedAgain() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    do {
      let store = try keeper.open(NotesStore.self)
      NotesAction().add("Roads")
      store.clear()
    }
    let failure = #expect(throws: KeeperFailure.self) { try keeper.open(NotesStore.self) }
    #expect(failure?.cause == .storeExists("NotesStore"))

    try await keeper.flush()

    #expect(try keeper.open(NotesStore.self).notes.value == ["Roads"])
  }

  @Test func archivesWhoseNamesDifferOnlyInCaseTrap() async {
    await #expect(processExitsWith: .failure) {
      let folder = try TemporaryFolder()
      let keeper = try Keeper(directory: folder.url)
      let notes = try keeper.open(NotesStore.self)
      let others = try keeper.open(LoudNotesStore.self)
      withExtendedLifetime((notes, others)) {}
    }
  }

  @Test func observersSeeOnlyTheRestoredValue() async throws {
    try await save(["Roads"])
    let keeper = try Keeper(directory: folder.url)

    let store = try keeper.open(NotesStore.self)
    let recorder = ValueRecorder(store.notes)

    #expect(recorder.values == [["Roads"]])
    withExtendedLifetime(keeper) {}
  }

  @Test func changeIsSavedAfterTheMaximumDelay() async throws {
    let clock = ManualClock()
    let keeper = try Keeper(directory: folder.url, clock: clock)
    let store = try keeper.open(NotesStore.self)
    NotesAction().add("Roads")

    let delays = await clock.sleeping()
    #expect(delays == [.milliseconds(500)])
    #expect(folder.names == [])
    let saved = FileWatch(folder)
    await clock.advance(by: .milliseconds(500))

    try await saved.until { try folder.contains("Roads") }
    withExtendedLifetime((store, keeper)) {}
  }

  @Test func steadyStreamOfChangesDoesNotDelayTheSave() async throws {
    let clock = ManualClock()
    let keeper = try Keeper(directory: folder.url, maximumDelay: .seconds(1), clock: clock)
    let store = try keeper.open(NotesStore.self)
    NotesAction().add("0")
    await clock.sleeping()

    let saved = FileWatch(folder)
    for tenth in 1...10 {
      NotesAction().add("\(tenth)")
      await clock.advance(by: .milliseconds(100))
    }

    try await saved.until { try folder.contains("\"10\"") }
    withExtendedLifetime((store, keeper)) {}
  }

  @Test func storeThatNeverChangesNeedsNoFile() async throws {
    let keeper = try Keeper(directory: folder.url)
    let store = try keeper.open(NotesStore.self)

    try await keeper.flush()
    try await keeper.close()

    #expect(folder.names == [])
    withExtendedLifetime(store) {}
  }

  @Test func flushWritesAllEarlierReduces() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)

    for note in 1...3 {
      NotesAction().add("note \(note)")
      try await keeper.flush()
      #expect(try folder.contains("note \(note)"))
    }
    withExtendedLifetime(store) {}
  }

  @Test func flushAlsoWritesChangesOutsideOfAReduce() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)

    store.changeDraftDirectly("Where we're going")
    try await keeper.flush()

    #expect(try folder.contains("Where we're going"))
  }

  @Test func transactionIsSavedAfterTheMaximumDelay() async throws {
    let clock = ManualClock()
    let keeper = try Keeper(directory: folder.url, clock: clock)
    let store = try keeper.open(NotesStore.self)
    let saved = FileWatch(folder)

    Dispatcher.shared.transaction { store.changeDraftDirectly("1.21 gigawatts") }
    await clock.sleeping()
    await clock.advance(by: .milliseconds(500))

    try await saved.until { try folder.contains("1.21 gigawatts") }
    withExtendedLifetime(keeper) {}
  }

  @Test func storeReducedThroughWaitForIsSaved() async throws {
    let clock = ManualClock()
    let keeper = try Keeper(directory: folder.url, clock: clock)
    let hasty = WaitingStore.instantiate()
    let store = try keeper.open(CounterStore.self)
    let saved = FileWatch(folder)

    Dispatcher.shared.dispatch(Dispatcher.Counter.add(3))
    await clock.sleeping()
    await clock.advance(by: .milliseconds(500))

    await saved.until { folder.names.contains("counter.json") }
    withExtendedLifetime((hasty, store, keeper)) {}
  }

  @Test func equalBytesAreNotWrittenAgain() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)
    NotesAction().add("Roads")
    try await keeper.flush()
    let inode = try folder.inode(of: "notes.json")

    NotesAction().invoke(.setDraft("x"))
    NotesAction().invoke(.setDraft(""))
    try await keeper.flush()

    #expect(try folder.inode(of: "notes.json") == inode)
    withExtendedLifetime(store) {}
  }

  @Test func storeLivesUntilItsLastChangeIsSaved() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    weak var store = try keeper.open(NotesStore.self)
    do {
      let strong = try keeper.open(NotesStore.self)
      store = strong
      NotesAction().add("Roads")
    }
    #expect(store != nil)

    try await keeper.flush()

    #expect(store == nil)
    #expect(try keeper.open(NotesStore.self).notes.value == ["Roads"])
  }

  @Test func changesAreSavedAfterTheKeeperWasReleased() async throws {
    let saved = FileWatch(folder)
    let store = try {
      let keeper = try Keeper(directory: folder.url, clock: ManualClock())
      let store = try keeper.open(NotesStore.self)
      NotesAction().add("Roads")
      return store
    }()

    try await saved.until { try folder.contains("Roads") }
    withExtendedLifetime(store) {}
  }

  @Test func folderIsFreeAsSoonAsAKeeperWithoutChangesIsReleased() async throws {
    for _ in 0..<100 {
      let dispatcher = Dispatcher()
      let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: ManualClock())
      let store = try keeper.open(NotesStore.self)
      NotesAction(dispatcher).add("Roads")
      try await keeper.flush()
      withExtendedLifetime(store) {}
    }
  }

  // MARK: - Closing

  @Test func closedKeeperSavesNoLaterChanges() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)
    NotesAction().add("Roads")

    try await keeper.close()
    NotesAction().add("No roads")

    #expect(try !folder.contains("No roads"))
    try await keeper.close()
    await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    #expect(throws: KeeperFailure.self) { try keeper.open(NotesStore.self) }
    withExtendedLifetime(store) {}
  }

  @Test func closedKeeperReleasesItsStores() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    weak var store: NotesStore?
    do {
      let strong = try keeper.open(NotesStore.self)
      store = strong
      try await keeper.close()
      NotesAction().add("Roads")
    }

    #expect(store == nil)
  }

  @Test func otherKeeperCanOpenTheFolderOnlyAfterClose() async throws {
    let keeper = try Keeper(directory: folder.url)

    let error = #expect(throws: KeeperFailure.self) { try Keeper(directory: folder.url) }
    #expect(error?.cause == .inUse)

    try await keeper.close()
    _ = try Keeper(directory: folder.url)
  }

  // MARK: - Several stores

  @Test func storesOfOneKeeperHaveFilesOfTheirOwn() async throws {
    let keeper = try Keeper(directory: folder.url)
    let notes = try keeper.open(NotesStore.self)
    let counter = try keeper.open(CounterStore.self)
    NotesAction().add("Roads")
    Dispatcher.shared.dispatch(Dispatcher.Counter.add(3))

    try await keeper.close()

    #expect(folder.names == ["counter.json", "notes.json"])
    withExtendedLifetime((notes, counter)) {}
  }

  @Test func keeperUsesItsDispatcherForItsStores() async throws {
    let dispatcher = Dispatcher()
    let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher)
    let store = try keeper.open(NotesStore.self)

    NotesAction(dispatcher).add("Roads")

    #expect(store.notes.value == ["Roads"])
    #expect(withDispatcher(dispatcher) { NotesStore.instantiate() } === store)
  }

  @Test func concurrentOpensReturnTheSameStore() async throws {
    try await save(["Roads"])
    let keeper = try Keeper(directory: folder.url)
    let dispatcher = Dispatcher.shared

    let stores = try await withThrowingTaskGroup(of: NotesStore.self) { group in
      for _ in 0..<8 {
        group.addTask { try withDispatcher(dispatcher) { try keeper.open(NotesStore.self) } }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(Set(stores.map(ObjectIdentifier.init)).count == 1)
    #expect(stores.allSatisfy { $0.notes.value == ["Roads"] })
  }

  /// Saves notes with another dispatcher.
  private func save(_ notes: [String]) async throws {
    let keeper = try Keeper(directory: folder.url, dispatcher: Dispatcher())
    let store = try keeper.open(NotesStore.self)
    store.restore(NotesStore.Saved(notes: notes, count: notes.count, draft: ""))
    try await keeper.close()
  }
}
