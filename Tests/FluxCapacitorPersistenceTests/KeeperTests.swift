import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests of a keeper that has opened a store of notes.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct KeeperTests {
  private let folder: TemporaryFolder
  private let clock = ManualClock()
  private let keeper: Keeper
  private let store: NotesStore

  init() throws {
    folder = try TemporaryFolder()
    keeper = try Keeper(directory: folder.url, clock: clock)
    store = try keeper.open(NotesStore.self)
  }

  // MARK: - Saving and restoring

  @Test func concurrentOpensReturnOneStoreThatIsRestoredAfterItsKeeperWasClosed() async throws {
    NotesAction().add("Roads")
    try await keeper.close()
    let next = try Keeper(directory: folder.url, dispatcher: Dispatcher())

    let stores = try await withThrowingTaskGroup(of: NotesStore.self) { group in
      for _ in 0..<8 { group.addTask { try next.open(NotesStore.self) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(Set(stores.map(ObjectIdentifier.init)).count == 1)
    #expect(stores.allSatisfy { ValueRecorder($0.notes).values == [["Roads"]] })
  }

  @Test func storeThatExistedBeforeOpenIsAnError() throws {
    let counter = CounterStore.instantiate()

    let error = #expect(throws: KeeperFailure.self) { try keeper.open(CounterStore.self) }

    #expect(error?.cause == .storeExists("CounterStore"))
    withExtendedLifetime(counter) {}
  }

  @Test func clearedStoreMustBeSavedBeforeItIsOpenedAgain() async throws {
    do {
      let counter = try keeper.open(CounterStore.self)
      Dispatcher.shared.dispatch(Dispatcher.Counter.add(3))
      counter.clear()
    }
    let failure = #expect(throws: KeeperFailure.self) { try keeper.open(CounterStore.self) }
    #expect(failure?.cause == .storeExists("CounterStore"))

    try await keeper.flush()

    #expect(try keeper.open(CounterStore.self).count.value == 3)
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

  @Test func changeIsSavedAfterTheMaximumDelay() async throws {
    NotesAction().add("Roads")

    #expect(await clock.sleeping() == [.milliseconds(500)])
    #expect(folder.names == [])
    let saved = FileWatch(folder)
    await clock.advance(by: .milliseconds(500))

    try await saved.until { try folder.contains("Roads") }
  }

  @Test func steadyStreamOfChangesDoesNotDelayTheSave() async throws {
    NotesAction().add("0")
    await clock.sleeping()

    let saved = FileWatch(folder)
    for tenth in 1...10 {
      NotesAction().add("\(tenth)")
      await clock.advance(by: .milliseconds(50))
    }

    try await saved.until { try folder.contains("\"10\"") }
  }

  @Test func timersEndWithTheirPasses() async throws {
    let (dispatcher, clock) = (Dispatcher(), CountingClock())
    let keeper = try Keeper(
      directory: folder.url.appendingPathComponent("timers"),
      dispatcher: dispatcher,
      maximumDelay: .seconds(86_400),
      clock: clock
    )
    let store = try keeper.open(CounterStore.self)
    for begun in 1...3 {
      dispatcher.dispatch(Dispatcher.Counter.add(1))
      for await count in clock.begun.values where count == begun { break }
      try await keeper.flush()
      for await count in clock.ended.values where count == begun { break }
    }
    withExtendedLifetime(store) {}
  }

  @Test func storeThatNeverChangesNeedsNoFile() async throws {
    try await keeper.flush()
    try await keeper.close()

    #expect(store.notes.value == [])
    #expect(folder.names == [])
  }

  @Test func transactionIsSavedAfterTheMaximumDelay() async throws {
    let saved = FileWatch(folder)

    Dispatcher.shared.transaction { store.changeDraftDirectly("1.21 gigawatts") }
    await clock.sleeping()
    await clock.advance(by: .milliseconds(500))

    try await saved.until { try folder.contains("1.21 gigawatts") }
  }

  @Test func storeReducedThroughWaitForIsSaved() async throws {
    let hasty = WaitingStore.instantiate()
    let counter = try keeper.open(CounterStore.self)
    let saved = FileWatch(folder)

    Dispatcher.shared.dispatch(Dispatcher.Counter.add(3))
    await clock.sleeping()
    await clock.advance(by: .milliseconds(500))

    await saved.until { folder.names.contains("counter.json") }
    withExtendedLifetime((hasty, counter)) {}
  }

  @Test func equalBytesAreNotWrittenAgain() async throws {
    NotesAction().add("Roads")
    try await keeper.flush()
    let inode = try folder.inode(of: "notes.json")

    NotesAction().invoke(.setDraft("x"))
    NotesAction().invoke(.setDraft(""))
    try await keeper.flush()

    #expect(try folder.inode(of: "notes.json") == inode)
  }

  @Test func storeLivesUntilItsLastChangeIsSaved() async throws {
    weak var counter: CounterStore?
    do {
      let strong = try keeper.open(CounterStore.self)
      counter = strong
      Dispatcher.shared.dispatch(Dispatcher.Counter.add(3))
    }
    #expect(counter != nil)

    try await keeper.flush()

    #expect(counter == nil)
    #expect(try keeper.open(CounterStore.self).count.value == 3)
  }

  @Test func changesAreSavedAfterTheKeeperWasReleased() async throws {
    let folder = try TemporaryFolder()
    let saved = FileWatch(folder)
    let dispatcher = Dispatcher()
    let store = try {
      let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: clock)
      let store = try keeper.open(NotesStore.self)
      NotesAction(dispatcher).add("Roads")
      return store
    }()

    try await saved.until { try folder.contains("Roads") }
    withExtendedLifetime(store) {}
  }

  @Test func folderIsFreeAsSoonAsAKeeperWithoutChangesIsReleased() async throws {
    let folder = try TemporaryFolder()
    for _ in 0..<100 {
      let dispatcher = Dispatcher()
      let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: clock)
      let store = try keeper.open(NotesStore.self)
      NotesAction(dispatcher).add("Roads")
      try await keeper.flush()
      withExtendedLifetime(store) {}
    }
  }

  // MARK: - Closing

  @Test func closedKeeperSavesNoLaterChanges() async throws {
    NotesAction().add("Roads")

    try await keeper.close()
    NotesAction().add("No roads")

    #expect(try !folder.contains("No roads"))
    try await keeper.close()
    await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    #expect(throws: KeeperFailure.self) { try keeper.open(NotesStore.self) }
  }

  @Test func closedKeeperReleasesItsStores() async throws {
    weak var counter: CounterStore?
    do {
      let strong = try keeper.open(CounterStore.self)
      counter = strong
      try await keeper.close()
      Dispatcher.shared.dispatch(Dispatcher.Counter.add(3))
    }

    #expect(counter == nil)
  }

  @Test func otherKeeperCanOpenTheFolderOnlyAfterClose() async throws {
    let error = #expect(throws: KeeperFailure.self) { try Keeper(directory: folder.url) }
    #expect(error?.cause == .inUse)

    try await keeper.close()
    _ = try Keeper(directory: folder.url)
  }
}

/// A clock that stands still, and counts the sleeps that have begun and ended.
private struct CountingClock: Clock {
  let begun = Variable(0)
  let ended = Variable(0)
  private let clock = ManualClock()

  var now: ManualClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    begun.value += 1
    defer { ended.value += 1 }
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
