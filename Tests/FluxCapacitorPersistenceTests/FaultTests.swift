import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// B13: each system call of a keeper fails in turn. Afterward, a new keeper finds one whole state, which is no
/// older than the last `flush` that returned.
@Suite(.timeLimit(.minutes(20)))
struct FaultTests {
  private let folder: TemporaryFolder
  private let dispatcher = Dispatcher()
  private let clock = ManualClock()

  init() throws { folder = try TemporaryFolder() }

  private func keeper(
    maximumDelay: Duration = .milliseconds(500),
    fileSystem: any FileSystem = FaultyFileSystem.intact
  ) throws -> Keeper {
    try Keeper(
      directory: folder.url,
      dispatcher: dispatcher,
      maximumDelay: maximumDelay,
      clock: clock,
      fileSystem: fileSystem
    )
  }

  private static let faults: [FaultyFileSystem.Fault] = [
    .error(ENOSPC), .error(EIO), .error(EACCES), .error(EINTR), .errorAfter(EIO), .partialWrite,
    .end, .endAfter,
  ]

  /// The steps after which a file must hold whole states. `wasFlushed` receives the number of notes that a
  /// successful flush has saved.
  private static func run(
    _ system: FaultyFileSystem,
    in folder: TemporaryFolder,
    wasFlushed: (Int) -> Void
  ) async {
    let dispatcher = Dispatcher()
    do {
      let keeper = try Keeper(
        directory: folder.file("state"),
        dispatcher: dispatcher,
        clock: ManualClock(),
        fileSystem: system
      )
      let store = try keeper.open(NotesStore.self)
      for count in 1...3 {
        NotesAction(dispatcher).add("note \(count)")
        if (try? await keeper.flush()) != nil { wasFlushed(store.count.value) }
      }
      NotesAction(dispatcher).add("last")
      if (try? await keeper.close()) != nil { wasFlushed(store.count.value) }
      // A second attempt succeeds after a passing fault.
      if (try? await keeper.close()) != nil { wasFlushed(store.count.value) }
    } catch {
      // The keeper couldn't be created, or the store couldn't be opened.
    }
  }

  @Test(arguments: faults)
  func newKeeperFindsAWholeStateAfterEachFault(fault: FaultyFileSystem.Fault) async throws {
    var place = 0
    while true {
      let folder = try TemporaryFolder()
      let system = FaultyFileSystem(fault, at: place)
      var (flushed, flushes) = (0, 0)
      await Self.run(system, in: folder) {
        flushed = $0
        flushes += 1
      }

      let calls = system.calls
      let text =
        "\(fault) at call \(place), \(calls.indices.contains(place) ? calls[place] : "none")"
      let dispatcher = Dispatcher()
      let keeper = try Keeper(
        directory: folder.file("state"),
        dispatcher: dispatcher,
        fileSystem: FaultyFileSystem.intact
      )
      let store = try keeper.open(NotesStore.self)
      #expect(store.saved.isWhole, "\(text)")
      #expect(store.count.value >= flushed, "\(text)")
      if !system.hasEnded, flushed > 0 { #expect(store.count.value == 4, "\(text)") }
      if fault.isHarmless { #expect(flushes == 5, "\(text)") }
      // The new keeper can save.
      NotesAction(dispatcher).add("after the fault")
      try await keeper.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("state").path)
      #expect(Set(names).isSubset(of: ["notes.json", "notes.previous"]), "\(text)")

      if place >= calls.count { break }
      place += 1
    }
    #expect(place > 40)
  }

  @Test func failureIsPublishedUntilARetrySucceeds() async throws {
    let system = FaultyFileSystem(.error(ENOSPC), atEach: "write")
    let keeper = try keeper(fileSystem: system)
    let store = try keeper.open(NotesStore.self)
    let failures = ValueRecorder(keeper.failure)
    NotesAction(dispatcher).add("Roads")

    #expect(await clock.sleeping() == [.milliseconds(500)])
    await clock.advance(by: .milliseconds(500))
    // After each failure, the keeper waits twice as long.
    #expect(await clock.sleeping() == [.seconds(1)])
    await clock.advance(by: .seconds(1))
    #expect(await clock.sleeping() == [.seconds(2)])
    let failure = await failures.next(2).last?.flatMap(\.self)
    #expect(failure?.cause == .system(call: "write", code: ENOSPC))
    #expect(failure?.file.lastPathComponent == "notes.json")
    // The part that was written doesn't fill the disk.
    #expect(folder.names == [])
    system.heal()
    await clock.advance(by: .seconds(2))

    #expect(await failures.next(1) == [nil])
    #expect(try folder.contains("Roads"))
    withExtendedLifetime(store) {}
  }

  @Test func flushThrowsTheFailureAndLaterFlushesSucceed() async throws {
    let system = FaultyFileSystem(.error(EACCES), atEach: "rename")
    let keeper = try keeper(fileSystem: system)
    let store = try keeper.open(NotesStore.self)
    NotesAction(dispatcher).add("Roads")

    let failure = await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    #expect(keeper.failure.value == failure)
    system.heal()
    try await keeper.flush()

    #expect(keeper.failure.value == nil)
    #expect(try folder.contains("Roads"))
    withExtendedLifetime(store) {}
  }

  /// After a write that fails late, the file already has the new value. So the former one has to be written again.
  @Test func valueBeforeAFailedWriteIsWrittenAgain() async throws {
    func save(_ drafts: [String], in folder: TemporaryFolder, _ system: FaultyFileSystem)
      async throws
    {
      let dispatcher = Dispatcher()
      let (url, clock) = (folder.url, ManualClock())
      let keeper = try Keeper(
        directory: url,
        dispatcher: dispatcher,
        clock: clock,
        fileSystem: system
      )
      let store = try keeper.open(NotesStore.self)
      for draft in drafts {
        NotesAction(dispatcher).invoke(.setDraft(draft))
        try? await keeper.flush()
      }
      try await keeper.close()
      withExtendedLifetime(store) {}
    }
    let (whole, intact) = (try TemporaryFolder(), FaultyFileSystem.intact)
    try await save(["former"], in: whole, .intact)
    try await save(["new", "former"], in: whole, intact)
    for place in intact.calls.indices {
      let folder = try TemporaryFolder()
      try await save(["former"], in: folder, .intact)
      let system = FaultyFileSystem(.errorAfter(EIO), at: place)
      try? await save(["new", "former"], in: folder, system)

      #expect(try folder.contains("former"), "call \(place) of \(system.calls)")
    }
  }

  /// A save that is repeated, even with a newer value, doesn't make the value that no flush has confirmed the previous one.
  @Test(arguments: ["new", "newer"])
  func repeatedSaveKeepsThePreviousGeneration(next: String) async throws {
    var place = 0
    while true {
      let folder = try TemporaryFolder()
      let system = FaultyFileSystem(.errorAfter(EIO), at: place)
      if let keeper = try? Keeper(directory: folder.url, dispatcher: dispatcher, clock: clock) {
        let store = try keeper.open(NotesStore.self)
        NotesAction(dispatcher).invoke(.setDraft("former"))
        try await keeper.close()
        withExtendedLifetime(store) {}
      }
      let keeper = try? Keeper(
        directory: folder.url,
        dispatcher: dispatcher,
        clock: clock,
        fileSystem: system
      )
      if let keeper, let store = try? keeper.open(NotesStore.self) {
        NotesAction(dispatcher).invoke(.setDraft("new"))
        let isRepeated = (try? await keeper.flush()) == nil
        NotesAction(dispatcher).invoke(.setDraft(next))
        system.heal()
        try await keeper.close()

        #expect(try folder.text(of: "notes.json").contains(#""\#(next)""#))
        let previous = try folder.text(of: "notes.previous")
        #expect(previous.contains("former") == (isRepeated || next == "new"), "call \(place)")
        withExtendedLifetime(store) {}
      }
      if place >= system.calls.count { break }
      place += 1
    }
    #expect(place > 10)
  }

  @Test func savedValueContinuesAfterItsStoreWasReleasedAndOpenedAgain() async throws {
    let keeper = try keeper()
    var store: NotesStore? = try keeper.open(NotesStore.self)
    let drafts = ValueRecorder(keeper.saved(NotesStore.self).map(\.draft))
    await drafts.next(1)
    for draft in ["first", "second"] {
      NotesAction(dispatcher).invoke(.setDraft(draft))
      try await keeper.flush()
      #expect(await drafts.next(1) == [draft])
      store = nil
      store = try keeper.open(NotesStore.self)
    }
    withExtendedLifetime(store) {}
  }

  @Test(arguments: [nil, "key"])
  func archiveWithANameThatIsTooLongIsRefused(key: String?) throws {
    let keeper = try keeper()

    let failure = #expect(throws: KeeperFailure.self) {
      guard let key else { return _ = try keeper.open(LongNameStore.self) }
      _ = try keeper.open(LongNameStore.self, key: key, on: dispatcher)
    }

    let limit = key == nil ? 225 : 217
    #expect(failure?.cause == .nameTooLong(limit: limit))
    #expect(failure?.description.contains("Shorten the archive's name to \(limit) bytes") == true)
  }

  @Test func deletedFolderIsCreatedAgain() async throws {
    let keeper = try keeper()
    let (notes, counter) = (try keeper.open(NotesStore.self), try keeper.open(CounterStore.self))
    NotesAction(dispatcher).add("Roads")
    dispatcher.dispatch(Dispatcher.Counter.add(1))
    try await keeper.flush()
    try FileManager.default.removeItem(at: folder.url)
    NotesAction(dispatcher).add("Where we're going")

    try await keeper.flush()

    #expect(try folder.contains("Where we're going"))
    #expect(folder.names.contains("counter.json"))
    #expect(try folder.permissions(".") == 0o700)
    try await keeper.close()
    let next = try self.keeper()
    try await next.close()
    withExtendedLifetime((notes, counter)) {}
  }

  /// A store that nobody holds any more is written too.
  @Test func valueOfAReleasedStoreIsSavedToTheNewFolder() async throws {
    let keeper = try keeper()
    var notes: NotesStore? = try keeper.open(NotesStore.self)
    let counter = try keeper.open(CounterStore.self)
    NotesAction(dispatcher).add("Roads")
    try await keeper.flush()
    withExtendedLifetime(notes) {}
    notes = nil
    try FileManager.default.removeItem(at: folder.url)
    dispatcher.dispatch(Dispatcher.Counter.add(1))

    try await keeper.flush()

    #expect(try folder.contains("Roads"))
    withExtendedLifetime(counter) {}
  }

  /// Until the value is in the new folder, the file is missing.
  @Test(arguments: [false, true])
  func releasedStoreKeepsItsValueIfItCannotBeSavedToTheNewFolder(hasKey: Bool) async throws {
    let key = hasKey ? "a" : nil
    let fileSystem = FaultyFileSystem(.error(ENOSPC), atEach: "write")
    let keeper = try keeper(fileSystem: fileSystem)
    try folder.write(
      #"{"format":1,"version":1,"saved":7}"#,
      to: FileName(of: "counter", key: key).current
    )
    var store: CounterStore? = try await keeper.load(CounterStore.self, key: key)
    let notes = try keeper.open(NotesStore.self)
    #expect(store?.count.value == 7)
    store = nil
    try FileManager.default.removeItem(at: folder.url)
    NotesAction(dispatcher).add("Roads")
    await #expect(throws: KeeperFailure.self) { try await keeper.flush() }

    store = try await keeper.load(CounterStore.self, key: key)
    #expect(store?.count.value == 7)
    fileSystem.heal()
    try await keeper.flush()

    #expect(try folder.text(of: FileName(of: "counter", key: key).current).contains("7"))
    withExtendedLifetime((store, notes)) {}
  }

  @Test func storeThatIsOpenedAfterTheDeletionOfItsFolderKeepsItsValue() async throws {
    let keeper = try keeper()
    for key in [nil, "a"] {
      var store: CounterStore? = try await keeper.load(CounterStore.self, key: key)
      dispatcher.dispatch(Dispatcher.Counter.set(7))
      try await keeper.flush()
      withExtendedLifetime(store) {}
      store = nil
      try FileManager.default.removeItem(at: folder.url)

      store = try await keeper.load(CounterStore.self, key: key)
      #expect(store?.count.value == 7)
      try await keeper.flush()

      #expect(try folder.text(of: FileName(of: "counter", key: key).current).contains("7"))
      store = nil
    }
  }

  /// Another keeper has used the folder at the same place meanwhile.
  @Test func newFolderWithFilesOfTheStoresIsNotOverwritten() async throws {
    let keeper = try keeper()
    let notes = try keeper.open(NotesStore.self)
    NotesAction(dispatcher).add("former")
    try await keeper.flush()
    try FileManager.default.removeItem(at: folder.url)
    let other = Dispatcher()
    let otherKeeper = try Keeper(directory: folder.url, dispatcher: other)
    let otherNotes = try otherKeeper.open(NotesStore.self)
    NotesAction(other).add("newer")
    try await otherKeeper.close()
    let before = try folder.contents
    NotesAction(dispatcher).add("late")

    let failure = await #expect(throws: KeeperFailure.self) { try await keeper.flush() }

    #expect(failure?.cause == .folderMissing)
    #expect(try folder.contents == before)
    withExtendedLifetime((notes, otherNotes)) {}
  }

  @Test func releasedKeeperSavesAfterTheDiskHasSpaceAgain() async throws {
    let system = FaultyFileSystem(.error(ENOSPC), atEach: "write")
    let released = Gate()
    do {
      let keeper = try keeper(fileSystem: system)
      let store = try keeper.open(TransientStore.self)
      store.released.withLock { $0 = released }
      dispatcher.dispatch(Transient.add)
      await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
      withExtendedLifetime(store) {}
    }

    // Neither the timer of the change nor that of the failed save keeps the changes, so another one begins.
    await clock.sleeping()
    system.heal()
    await clock.advance(by: .seconds(60))
    await released.pass()

    #expect(try folder.text(of: "transient.json").contains("1"))
  }

  /// Nobody can learn of the failure any more, or close the keeper.
  @Test func releasedKeeperGivesUpAFolderThatWasReplaced() async throws {
    let released = Gate()
    do {
      let keeper = try keeper()
      let store = try keeper.open(TransientStore.self)
      store.released.withLock { $0 = released }
      dispatcher.dispatch(Transient.add)
      try await keeper.flush()
      try FileManager.default.removeItem(at: folder.url)
      try FileManager.default.createDirectory(
        at: folder.url,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
      try folder.write("other", to: "transient.json")
      dispatcher.dispatch(Transient.add)
      await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
      withExtendedLifetime(store) {}
    }

    await released.pass()
    #expect(try folder.text(of: "transient.json") == "other")
  }

  @Test func releasedKeeperGivesUpAValueThatCannotBeEncoded() async throws {
    let released = Gate()
    do {
      let keeper = try keeper()
      let store = try keeper.open(StubbornStore.self)
      store.released.withLock { $0 = released }
      await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
      withExtendedLifetime(store) {}
    }

    await released.pass()
  }

  @Test func closingAKeyInADeletedFolderLetsTheOtherStoresBeSavedToo() async throws {
    let keeper = try keeper()
    let notes = try keeper.open(NotesStore.self)
    let keyed = try keeper.open(CounterStore.self, key: "a", on: dispatcher)
    NotesAction(dispatcher).add("Roads")
    try await keeper.flush()
    try FileManager.default.removeItem(at: folder.url)

    try await keeper.close(CounterStore.self, key: "a")
    await clock.sleeping()
    await clock.advance(by: .seconds(60))
    try await keeper.flush(CounterStore.self, key: "a")

    #expect(try folder.contains("Roads"))
    withExtendedLifetime((notes, keyed)) {}
  }

  @Test func failingStoreDoesNotDelayAnotherStore() async throws {
    let keeper = try keeper()
    let notes = try keeper.open(NotesStore.self)
    let stubborn = try keeper.open(StubbornStore.self)
    for _ in 1...3 { await #expect(throws: KeeperFailure.self) { try await keeper.flush() } }
    await clock.sleeping()

    NotesAction(dispatcher).add("Roads")

    #expect(await clock.sleeping() == [.milliseconds(500)])
    withExtendedLifetime((notes, stubborn)) {}
  }

  @Test func failedSaveIsNotRepeatedWithoutAPause() async throws {
    let keeper = try keeper(maximumDelay: .zero)
    let stubborn = try keeper.open(StubbornStore.self)

    let failure = await #expect(throws: KeeperFailure.self) { try await keeper.flush() }

    #expect(failure?.cause == .notEncodable("Refusal()"))
    #expect(failure?.file.lastPathComponent == "stubborn.json")
    #expect(await clock.sleeping() == [.milliseconds(200)])
    withExtendedLifetime(stubborn) {}
  }

  @Test func longestDelayIsNotExceededAfterManyFailures() async throws {
    let keeper = try keeper(maximumDelay: .seconds(Int64.max))
    let stubborn = try keeper.open(StubbornStore.self)

    await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    for _ in 1...8 {
      await clock.sleeping()
      clock.advanceToNextDeadline()
    }
    withExtendedLifetime(stubborn) {}
  }

  @Test(arguments: [Duration(attoseconds: .max), Duration(attoseconds: .min)])
  func delayMayBeBeyondWhatAClockCanMeasure(maximumDelay: Duration) async throws {
    let keeper = try Keeper(
      directory: folder.url,
      dispatcher: dispatcher,
      maximumDelay: maximumDelay
    )
    let store = try keeper.open(NotesStore.self)
    NotesAction(dispatcher).add("Roads")

    try await keeper.close()

    #expect(try folder.contains("Roads"))
    withExtendedLifetime(store) {}
  }

  // MARK: - Recovery

  /// The notes after an interrupted recovery, and after the next attempt with the same decision.
  @Test(arguments: [Recovery.restorePrevious, .startFresh], faults)
  func interruptedRecoveryCanBeRepeated(
    recovery: Recovery,
    fault: FaultyFileSystem.Fault
  ) async throws {
    let saved = #"{"notes":["previous"],"count":1,"draft":""}"#
    let previous = #"{"format":1,"version":2,"saved":\#(saved)}"#
    var place = 0
    while true {
      let folder = try TemporaryFolder()
      try folder.write("damaged", to: "notes.json")
      try folder.write(previous, to: "notes.previous")
      let system = FaultyFileSystem(fault, at: place)
      do {
        let keeper = try Keeper(directory: folder.url, dispatcher: Dispatcher(), fileSystem: system)
        _ = try keeper.open(NotesStore.self) { _ in recovery }
      } catch {}

      let text = "\(recovery), \(fault) at call \(place), \(system.calls)"
      let keeper = try Keeper(
        directory: folder.url,
        dispatcher: Dispatcher(),
        fileSystem: FaultyFileSystem.intact
      )
      let store = try keeper.open(NotesStore.self) { failure in
        if case .damaged = failure.cause {} else { Issue.record("\(failure) after \(text)") }
        return recovery
      }
      #expect(store.notes.value == (recovery == .startFresh ? [] : ["previous"]), "\(text)")
      let contents = try folder.contents.values.map { String(decoding: $0, as: UTF8.self) }
      #expect(contents.contains("damaged"), "\(text)")
      #expect(contents.contains(previous), "\(text)")

      if place >= system.calls.count { break }
      place += 1
    }
    #expect(place > 8)
  }

  @Test func recoveryThatCannotFindAFreeNameFails() throws {
    try folder.write("damaged", to: "notes.json")
    let keeper = try keeper(fileSystem: FaultyFileSystem(.error(EMFILE), atEach: "fstatat"))

    #expect(throws: KeeperFailure.self) { try keeper.open(NotesStore.self) { _ in .startFresh } }

    #expect(folder.names == ["notes.json"])
  }

  // MARK: - Encoding

  @Test func storeThatChangesAfterAFailedCloseIsSaved() async throws {
    let keeper = try keeper()
    let notes = try keeper.open(NotesStore.self)
    let stubborn = try keeper.open(StubbornStore.self)
    await #expect(throws: KeeperFailure.self) { try await keeper.close() }

    let saved = FileWatch(folder)
    NotesAction(dispatcher).add("Roads")
    await clock.sleeping()
    await clock.advance(by: .seconds(1))

    await saved.until { (try? folder.contains("Roads")) == true }
    withExtendedLifetime((notes, stubborn)) {}
  }
}

private enum Stubborn: DispatchState {
  typealias RelatedStoreType = StubbornStore
}

/// A store whose value can't be encoded.
private final class StubbornStore: Persistable {
  struct Refusal: Error {}

  struct Saved: Codable {
    func encode(to _: any Encoder) throws { throw Refusal() }
  }

  static let archive = Archive(Saved.self, named: "stubborn", version: 1)

  let released = Guarded<Gate?>(nil)

  deinit { released.withLock { $0 }?.open() }

  var saved: Saved { Saved() }

  func restore(_: Saved) {}
  func reduce(with _: Stubborn) {}
}

private enum LongName: DispatchState {
  typealias RelatedStoreType = LongNameStore

  case change
}

private final class LongNameStore: Storable, Persistable {
  static let archive = Archive(
    Int.self,
    named: String(repeating: "n", count: 226),
    version: 1
  )

  var saved: Int { 0 }

  func reduce(with _: LongName) {}
  func restore(_: Int) {}
}

private enum Transient: DispatchState {
  typealias RelatedStoreType = TransientStore

  case add
}

/// A store that opens a gate when it's released.
private final class TransientStore: Persistable {
  static let archive = Archive(Int.self, named: "transient", version: 1)

  let released = Guarded<Gate?>(nil)
  private let count = Variable(0)

  deinit { released.withLock { $0 }?.open() }

  var saved: Int { count.value }

  func restore(_ saved: Int) { count.value = saved }
  func reduce(with _: Transient) { count.value += 1 }
}
