import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20)))
struct FollowingTests {
  private let folder: TemporaryFolder
  private let dispatcher = Dispatcher()
  private let keeper: Keeper
  private let store: NotesStore

  init() throws {
    folder = try TemporaryFolder()
    keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: ManualClock())
    store = try keeper.open(NotesStore.self)
  }

  private func follower(on dispatcher: Dispatcher = Dispatcher()) throws -> (Keeper, NotesStore) {
    let follower = try Keeper(directory: folder.url, role: .following, dispatcher: dispatcher)
    return (follower, try follower.open(NotesStore.self))
  }

  /// Creates a folder, and follows it.
  private func follower(of url: URL) async throws -> (Keeper, NotesStore) {
    try await Keeper(directory: url, dispatcher: Dispatcher()).close()
    let follower = try Keeper(directory: url, role: .following, dispatcher: Dispatcher())
    return (follower, try follower.open(NotesStore.self))
  }

  /// Lets time pass until a follower has noticed something. It might look without a timer too, so that nothing sleeps.
  private func advance(_ clock: ManualClock, until hasNoticed: () -> Bool) async {
    while !hasNoticed() {
      await clock.advance(by: .seconds(60))
      await Task.yield()
    }
  }

  private func save(_ note: String) async throws {
    NotesAction(dispatcher).add(note)
    try await keeper.flush()
  }

  @Test func followerAdoptsEachSavedStateAsOneTransaction() async throws {
    let (follower, followed) = try follower()
    let pairs = ValueRecorder(Constant.combine(followed.notes, followed.count))
    await pairs.next(1)

    for count in 1...3 {
      try await save("note \(count)")
      let pair = await pairs.next(1).last
      #expect(pair?.0.count == count)
      #expect(pair?.1 == count)
    }
    withExtendedLifetime(follower) {}
  }

  @Test func followerAdoptsTheStatesOfTwoStoresInOneTransaction() async throws {
    let counter = try keeper.open(CounterStore.self)
    // This follower can't watch the folder, so it reads both files during `flush`.
    let follower = try Keeper(
      directory: folder.url,
      role: .following,
      dispatcher: Dispatcher(),
      clock: ManualClock(),
      fileSystem: FaultyFileSystem(.error(EMFILE), atEach: "watch")
    )
    #expect(follower.failure.value?.cause == .system(call: "watch", code: EMFILE))
    let notes = try follower.open(NotesStore.self)
    let followedCounter = try follower.open(CounterStore.self)
    try await follower.flush()
    let pairs = ValueRecorder(Constant.combine(notes.count, followedCounter.count))
    await pairs.next(1)
    NotesAction(dispatcher).add("Roads")
    dispatcher.dispatch(Dispatcher.Counter.add(1))
    try await keeper.flush()

    try await follower.flush()

    let pair = await pairs.next(1).last
    #expect(pair?.0 == 1)
    #expect(pair?.1 == 1)
    withExtendedLifetime(counter) {}
  }

  @Test func followerWritesNothing() async throws {
    try await save("Roads")
    let before = try folder.contents
    let ownDispatcher = Dispatcher()
    let (follower, followed) = try follower(on: ownDispatcher)

    NotesAction(ownDispatcher).add("only here")
    try await follower.flush()
    try await follower.close()

    #expect(followed.notes.value == ["Roads", "only here"])
    #expect(try folder.contents == before)
  }

  @Test func followerKeepsItsStateIfTheFileIsDamaged() async throws {
    try await save("Roads")
    let (follower, followed) = try follower()

    try folder.write("damaged", to: "new")
    try FileManager.default.removeItem(at: folder.file("notes.json"))
    try FileManager.default.moveItem(at: folder.file("new"), to: folder.file("notes.json"))
    let failure = await #expect(throws: KeeperFailure.self) { try await follower.flush() }

    #expect(followed.notes.value == ["Roads"])
    #expect(follower.failure.value == failure)

    try await save("Where we're going")
    try await follower.flush()
    #expect(followed.notes.value == ["Roads", "Where we're going"])
    #expect(follower.failure.value == nil)
  }

  /// As after a recovery that starts fresh. Then there is no previous generation to restore.
  @Test func failureOfAFollowerSaysWhetherThereIsAPreviousGeneration() async throws {
    try await save("Roads")
    let (follower, followed) = try follower()

    try FileManager.default.removeItem(at: folder.file("notes.json"))
    let withoutPrevious = await #expect(throws: KeeperFailure.self) { try await follower.flush() }
    try folder.write("damaged", to: "notes.previous")
    let withPrevious = await #expect(throws: KeeperFailure.self) { try await follower.flush() }

    #expect(withoutPrevious?.cause == .system(call: "open", code: ENOENT))
    #expect(withPrevious?.cause == .fileMissing)
    #expect(followed.notes.value == ["Roads"])
  }

  @Test func followerOfAMissingFolderIsAnError() throws {
    let failure = #expect(throws: KeeperFailure.self) {
      try Keeper(directory: folder.file("missing"), role: .following)
    }

    #expect(failure?.cause == .folderMissing)
    #expect(!folder.names.contains("missing"))
  }

  /// Linux doesn't report the deletion of an empty folder that a process has opened, so only `flush()` notices that.
  @Test func followerNoticesThatItsFolderIsMoved() async throws {
    let parent = try TemporaryFolder()
    let child = parent.file("state")
    let (follower, followed) = try await follower(of: child)
    try await follower.flush()
    let causes = ValueRecorder(follower.failure.map { $0?.cause })
    await causes.next(1)

    try FileManager.default.moveItem(at: child, to: parent.file("backup"))

    #expect(await causes.next(1) == [.folderMissing])
    withExtendedLifetime((follower, followed)) {}
  }

  @Test func followerWatchesItsFolderAsSoonAsTheSystemAllowsIt() async throws {
    let (system, clock) = (FaultyFileSystem(.error(EMFILE), atEach: "watch"), ManualClock())
    let follower = try Keeper(
      directory: folder.url,
      role: .following,
      dispatcher: Dispatcher(),
      clock: clock,
      fileSystem: system
    )
    let followed = try follower.open(NotesStore.self)
    let notes = ValueRecorder(followed.notes)
    await notes.next(1)
    try await follower.flush()
    #expect(follower.failure.value?.cause == .system(call: "watch", code: EMFILE))
    try await save("Roads")

    // Until then, it reads the files now and then.
    await clock.sleeping()
    await clock.advance(by: .seconds(60))
    #expect(await notes.next(1) == [["Roads"]])
    #expect(follower.failure.value?.cause == .system(call: "watch", code: EMFILE))

    system.heal()
    await advance(clock) { follower.failure.value == nil }
    try await save("Where we're going")
    #expect(await notes.next(1) == [["Roads", "Where we're going"]])
    withExtendedLifetime(follower) {}
  }

  @Test func followerOfADeletedFolderFollowsTheNextOne() async throws {
    let parent = try TemporaryFolder()
    let child = parent.file("state")
    func save(_ note: String) async throws {
      let dispatcher = Dispatcher()
      let writer = try Keeper(directory: child, dispatcher: dispatcher)
      let store = try writer.open(NotesStore.self)
      NotesAction(dispatcher).add(note)
      try await writer.close()
      withExtendedLifetime(store) {}
    }
    try await save("former")
    let clock = ManualClock()
    let follower = try Keeper(
      directory: child,
      role: .following,
      dispatcher: Dispatcher(),
      clock: clock
    )
    let followed = try follower.open(NotesStore.self)
    try FileManager.default.removeItem(at: child)
    // The follower may have looked between the deletions of the file and of the folder.
    await advance(clock) { follower.failure.value?.cause == .folderMissing }

    try await save("new")
    await advance(clock) { follower.failure.value == nil }

    try await follower.flush()
    #expect(followed.notes.value == ["new"])
    try FileManager.default.removeItem(at: child)
    try await follower.close()
  }

  @Test func followerOpensTheNewFolderAtThePlaceOfAMovedOne() async throws {
    let parent = try TemporaryFolder()
    let child = parent.file("state")
    let (follower, followed) = try await follower(of: child)
    try FileManager.default.moveItem(at: child, to: parent.file("backup"))
    let other = Dispatcher()
    let writer = try Keeper(directory: child, dispatcher: other)
    let notes = try writer.open(NotesStore.self)
    NotesAction(other).add("Roads")
    try await writer.flush()

    try await follower.flush()

    #expect(followed.notes.value == ["Roads"])
    #expect(follower.failure.value == nil)
    withExtendedLifetime((notes, writer)) {}
  }

  /// The writer saves a value that the follower has read before, while the follower can't look.
  @Test func followerRestoresAValueThatTheWriterSavesAgain() async throws {
    func setDraft(_ draft: String) async throws {
      NotesAction(dispatcher).invoke(.setDraft(draft))
      try await keeper.flush()
    }
    let (other, counter) = (Dispatcher(), try keeper.open(CounterStore.self))
    try await setDraft("first")
    let (follower, followed) = try follower(on: other)
    let followedCounter = try follower.open(CounterStore.self)
    try await follower.flush()
    NotesAction(other).invoke(.setDraft("only here"))
    let drafts = ValueRecorder(followed.draft)
    #expect(await drafts.next(1) == ["only here"])

    let (held, end) = (Gate(), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      other.transaction {
        held.open()
        end.wait()
      }
    }
    await held.pass()
    dispatcher.dispatch(Dispatcher.Counter.add(1))
    try await keeper.flush()
    try await setDraft("second")
    try await setDraft("first")
    end.signal()

    #expect(await drafts.next(1) != [])
    try await follower.flush()
    #expect(followed.draft.value == "first")
    #expect(followedCounter.count.value == 1)
    withExtendedLifetime((follower, counter)) {}
  }

  @Test func flushOfAKeyReadsOneFile() async throws {
    let system = FaultyFileSystem.intact
    let follower = try Keeper(directory: folder.url, role: .following, fileSystem: system)
    let counters = try ["a", "b", "c"].map {
      try follower.open(CounterStore.self, key: $0, on: Dispatcher())
    }
    try await follower.flush()
    func looks() -> Int { system.calls.filter { $0 == "fstatat" }.count }
    let former = looks()

    try await follower.flush(CounterStore.self, key: "b")
    #expect(looks() == former + 1)
    try await follower.flush()

    #expect(looks() == former + 4)
    withExtendedLifetime(counters) {}
  }

  @Test func closedFollowerAdoptsNothing() async throws {
    let (follower, followed) = try follower()
    try await follower.close()

    try await save("Roads")

    await #expect(throws: KeeperFailure.self) { try await follower.flush() }
    #expect(followed.notes.value == [])
  }

  @Test func releasedFollowerIsFreed() async throws {
    weak var followed: NotesStore?
    do {
      let (follower, store) = try follower()
      followed = store
      withExtendedLifetime(follower) {}
    }

    #expect(followed == nil)
  }

  @Test func followerRecoversWithoutRenamingFiles() throws {
    try folder.write("damaged", to: "notes.json")
    try folder.write(
      #"{"format":1,"version":1,"saved":{"lines":["previous"]}}"#,
      to: "notes.previous"
    )
    let before = try folder.contents
    let follower = try Keeper(directory: folder.url, role: .following, dispatcher: Dispatcher())

    let store = try follower.open(NotesStore.self) { _ in .restorePrevious }

    #expect(store.notes.value == ["previous"])
    #expect(try folder.contents == before)
  }
}
