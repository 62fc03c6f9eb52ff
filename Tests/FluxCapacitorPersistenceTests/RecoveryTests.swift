import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct RecoveryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Saves two generations of notes, and returns the text of the newest file.
  @discardableResult private func saveTwice() async throws -> String {
    try await folder.saveTwoGenerations()
    return try folder.text(of: "notes.json")
  }

  /// Expects that opening fails for a reason and changes no file.
  private func expectFailure(_ reason: String, version: Int? = nil) throws {
    let before = try folder.contents
    let keeper = try Keeper(directory: folder.url)

    let failure = try #require(
      #expect(throws: KeeperFailure.self) { try keeper.open(NotesStore.self) }
    )

    #expect("\(failure)".contains(reason))
    #expect("\(failure)".contains("/notes.json"))
    #expect(failure.file.lastPathComponent == "notes.json")
    #expect(failure.version == version)
    #expect(try folder.contents == before)
  }

  // MARK: - A value that the store refuses

  @Test func refusedValueFailsAndChangesNoFile() async throws {
    try await saveTwice()
    let text = #"{"format": 1, "version": 2, "saved": {"ids": [1, 1]}}"#
    try folder.write(text, to: "ids.json")
    try folder.write(#"{"format": 1, "version": 2, "saved": {"ids": [1]}}"#, to: "ids.previous")
    let keeper = try Keeper(directory: folder.url)

    let failure = #expect(throws: KeeperFailure.self) { try keeper.open(IDStore.self) }

    #expect(failure?.cause == .refused("the ids [1, 1] repeat"))
    #expect(failure?.version == 2)
    #expect(try folder.text(of: "ids.json") == text)

    let store = try keeper.open(IDStore.self) { _ throws(KeeperFailure) in .restorePrevious }
    #expect(store.ids.value == [1])
    #expect(try folder.text(of: "ids.aside-1.json") == text)
  }

  @Test func followerKeepsItsStateIfItsStoreRefusesAValue() async throws {
    try folder.write(#"{"format": 1, "version": 2, "saved": {"ids": [1]}}"#, to: "ids.json")
    let follower = try Keeper(directory: folder.url, role: .following)
    let store = try follower.open(IDStore.self)

    try folder.write(#"{"format": 1, "version": 2, "saved": {"ids": [2, 2]}}"#, to: "ids.json")
    let failure = await #expect(throws: KeeperFailure.self) { try await follower.flush() }

    #expect(failure?.cause == .refused("the ids [2, 2] repeat"))
    #expect(store.ids.value == [1])
  }

  // MARK: - Damage

  @Test func byteOrderMarkIsIgnored() async throws {
    let text = try await saveTwice()
    try folder.write("\u{FEFF}" + text, to: "notes.json")

    let store = try Keeper(directory: folder.url).open(NotesStore.self)

    #expect(store.notes.value == ["first", "second"])
  }

  @Test func fileThatIsCutAtAnyByteIsDamaged() async throws {
    let text = try await saveTwice()

    for count in 0..<text.utf8.count - 1 {
      try folder.write(String(text.prefix(count)), to: "notes.json")
      try expectFailure(" is damaged: ")
    }
  }

  @Test func fileWithAChangedCharacterInItsValueIsDamaged() async throws {
    let text = try await saveTwice()
    try folder.write(text.replacing("second", with: "sEcond"), to: "notes.json")

    try expectFailure(" is damaged: the checksum doesn't match the contents.")
  }

  @Test(
    arguments: [
      ("", " is damaged: ", nil), ("\0\0\0\0", " is damaged: ", nil), ("[]", " is damaged: ", nil),
      ("{", " is damaged: ", nil), ("{}", " is damaged: ", nil),
      (#"{"format":1}"#, " is damaged: ", nil),
      (#"{"format":1,"version":2}"#, " is damaged: ", nil),
      (#"{"format":2,"version":2,"saved":{}}"#, "The newest known format is 1.", nil),
      (#"{"format":1,"version":3,"saved":{}}"#, "The newest known version is 2.", 3),
      (#"{"format":1,"version":0,"saved":{}}"#, "The archive has no migration for ", 0),
      (#"{"format":1,"version":2,"saved":{"notes":3}}"#, " can't be decoded: ", 2),
      (
        #"{"format":1,"version":1,"saved":{"lines":["unmigratable"]}}"#,
        " can't be migrated: UnmigratableLine().", 1
      ),
    ] as [(String, String, Int?)]
  )
  func fileThatCannotBeRestoredIsLeftAlone(text: String, reason: String, version: Int?) throws {
    try folder.write(text, to: "notes.json")

    try expectFailure(reason, version: version)
  }

  @Test func fileWithoutAChecksumIsRestored() throws {
    try folder.write(
      #"{"saved":{"notes":["a","}\""],"count":2,"draft":"d"},"version":2,"format":1}"#,
      to: "notes.json"
    )
    let keeper = try Keeper(directory: folder.url)

    #expect(try keeper.open(NotesStore.self).notes.value == ["a", "}\""])
  }

  // MARK: - Versions

  @Test func fileOfAnOlderVersionIsMigratedAndSaved() async throws {
    try folder.write(#"{"format":1,"version":1,"saved":{"lines":["a","b"]}}"#, to: "notes.json")
    let keeper = try Keeper(directory: folder.url)

    let store = try keeper.open(NotesStore.self)
    #expect(store.notes.value == ["a", "b"])
    try await keeper.close()

    #expect(try folder.contains("\"version\" : 2"))
    #expect(try folder.text(of: "notes.previous").contains("\"version\":1"))
  }

  @Test func migratedValueIsSavedWithoutAChange() async throws {
    try folder.write(#"{"format":1,"version":1,"saved":{"lines":["a"]}}"#, to: "notes.json")
    let clock = ManualClock()
    let keeper = try Keeper(directory: folder.url, clock: clock)
    let watch = FileWatch(folder)
    _ = try keeper.open(NotesStore.self)

    await clock.sleeping()
    await clock.advance(by: .milliseconds(500))

    await watch.until { (try? folder.contains("\"version\" : 2")) == true }
  }

  // MARK: - Recovering

  @Test func recoveryRestoresThePreviousGeneration() async throws {
    try await saveTwice()
    try folder.write("damaged", to: "notes.json")
    var failures: [KeeperFailure] = []
    let keeper = try Keeper(directory: folder.url)

    let store = try keeper.open(NotesStore.self) { failure in
      failures.append(failure)
      return .restorePrevious
    }

    #expect(store.notes.value == ["first"])
    #expect(failures.count == 1)
    #expect(try folder.text(of: "notes.aside-1.json") == "damaged")
    #expect(try folder.contains("first"))
    withExtendedLifetime(keeper) {}
  }

  @Test func recoveryWithoutAPreviousGenerationThrowsTheFailure() throws {
    try folder.write("damaged", to: "notes.json")
    let keeper = try Keeper(directory: folder.url)

    let failure = #expect(throws: KeeperFailure.self) {
      try keeper.open(NotesStore.self) { _ in .restorePrevious }
    }

    #expect(failure?.failureReason?.contains(" is damaged: ") == true)
    #expect(folder.names == ["notes.json"])
  }

  @Test func recoveryStartsFreshAndKeepsBothGenerations() async throws {
    let text = try await saveTwice()
    let damaged = text.replacing("second", with: "sEcond")
    for number in 1...2 {
      try folder.write(damaged, to: "notes.json")
      try folder.write("previous \(number)", to: "notes.previous")
      let dispatcher = Dispatcher()
      let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher)

      let store = try keeper.open(NotesStore.self) { _ in .startFresh }

      #expect(store.notes.value == [])
      #expect(try folder.text(of: "notes.aside-\(number).json") == damaged)
      #expect(try folder.text(of: "notes.aside-\(number).previous") == "previous \(number)")
      #expect(!folder.names.contains("notes.json"))
      try await keeper.close()
    }
  }

  @Test func missingFileWithAPreviousGenerationIsAFailure() async throws {
    try await saveTwice()
    try FileManager.default.removeItem(at: folder.file("notes.json"))

    try expectFailure("notes.json is missing, but its previous generation exists.")

    let keeper = try Keeper(directory: folder.url)
    let store = try keeper.open(NotesStore.self) { _ in .restorePrevious }
    #expect(store.notes.value == ["first"])
  }

  @Test func closureCanDeclineToRecoverAndTheStoreCanBeOpenedAfterward() throws {
    try folder.write("damaged", to: "notes.json")
    let keeper = try Keeper(directory: folder.url)

    #expect(throws: KeeperFailure.self) {
      try keeper.open(NotesStore.self) { failure throws(KeeperFailure) in throw failure }
    }
    #expect(try folder.text(of: "notes.json") == "damaged")
    let store = try keeper.open(NotesStore.self) { _ in .startFresh }

    #expect(store.notes.value == [])
    #expect(NotesStore.instantiate() === store)
  }
}

private enum IDs: DispatchState {
  typealias RelatedStoreType = IDStore

  case add(Int)
}

/// A store of ids that never repeat.
private final class IDStore: Storable, Persistable {
  struct Saved: Codable { var ids: [Int] }

  static let archive = Archive(Saved.self, named: "ids", version: 2)

  var ids: Constant<[Int]> { _ids.constant }
  private let _ids = Variable<[Int]>([])

  func reduce(with state: IDs) {
    switch state {
    case .add(let id): _ids.value.append(id)
    }
  }

  var saved: Saved { Saved(ids: _ids.value) }

  func restore(_ saved: Saved) throws {
    guard Set(saved.ids).count == saved.ids.count else { throw Repetition(ids: saved.ids) }
    _ids.value = saved.ids
  }

  private struct Repetition: Error, CustomStringConvertible {
    let ids: [Int]

    var description: String { "the ids \(ids) repeat" }
  }
}
