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
    let dispatcher = Dispatcher()
    let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)
    NotesAction(dispatcher).add("first")
    try await keeper.flush()
    NotesAction(dispatcher).add("second")
    try await keeper.close()
    withExtendedLifetime(store) {}
    return try folder.text(of: "notes.json")
  }

  /// Expects that opening fails and changes no file.
  private func expectFailure(
    _ cause: (KeeperFailure.Cause) -> Bool,
    version: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.contents
    let keeper = try Keeper(directory: folder.url)
    let failure = #expect(throws: KeeperFailure.self, sourceLocation: sourceLocation) {
      try keeper.open(NotesStore.self)
    }
    if let failure {
      #expect(cause(failure.cause), "\(failure)", sourceLocation: sourceLocation)
      #expect(failure.file.lastPathComponent == "notes.json", sourceLocation: sourceLocation)
      #expect(failure.version == version, sourceLocation: sourceLocation)
      #expect("\(failure)".contains("notes.json"), sourceLocation: sourceLocation)
    }
    #expect(try folder.contents == before, sourceLocation: sourceLocation)
  }

  private static let isDamaged: @Sendable (KeeperFailure.Cause) -> Bool = {
    if case .damaged = $0 { true } else { false }
  }

  // MARK: - Damage

  @Test func fileThatIsCutAtAnyByteIsDamaged() async throws {
    let text = try await saveTwice()

    for count in 0..<text.utf8.count - 1 {
      try folder.write(String(text.prefix(count)), to: "notes.json")
      try expectFailure(Self.isDamaged)
    }
  }

  @Test func fileWithAChangedCharacterInItsValueIsDamaged() async throws {
    let text = try await saveTwice()
    try folder.write(text.replacing("second", with: "sEcond"), to: "notes.json")

    try expectFailure(Self.isDamaged, version: nil)
  }

  @Test(arguments: ["", "\0\0\0\0", "[]", "{}", "{\"format\":1}", "{\"format\":1,\"version\":2}"])
  func fileWithoutAnEnvelopeIsDamaged(text: String) throws {
    try folder.write(text, to: "notes.json")

    try expectFailure(Self.isDamaged)
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

  @Test func fileOfAnOlderVersionIsMigrated() async throws {
    try folder.write(#"{"format":1,"version":1,"saved":{"lines":["a","b"]}}"#, to: "notes.json")
    let keeper = try Keeper(directory: folder.url)

    let store = try keeper.open(NotesStore.self)
    #expect(store.notes.value == ["a", "b"])
    try await keeper.close()

    #expect(try folder.contains("\"version\" : 2"))
    #expect(try folder.text(of: "notes.previous").contains("\"version\":1"))
  }

  @Test func fileOfANewerVersionIsLeftAlone() throws {
    try folder.write(#"{"format":1,"version":3,"saved":{}}"#, to: "notes.json")

    try expectFailure({ $0 == .newerVersion(known: 2) }, version: 3)
  }

  @Test func fileOfANewerFormatIsLeftAlone() throws {
    try folder.write(#"{"format":2,"version":2,"saved":{}}"#, to: "notes.json")

    try expectFailure { $0 == .newerFormat(known: 1) }
  }

  @Test func fileOfAVersionWithoutAMigrationIsLeftAlone() throws {
    try folder.write(#"{"format":1,"version":0,"saved":{}}"#, to: "notes.json")

    try expectFailure({ $0 == .noMigration }, version: 0)
  }

  @Test func fileWhoseMigrationThrowsIsLeftAlone() throws {
    try folder.write(
      #"{"format":1,"version":1,"saved":{"lines":["unmigratable"]}}"#,
      to: "notes.json"
    )

    try expectFailure({ $0 == .migrationFailed("UnmigratableLine()") }, version: 1)
  }

  @Test func fileThatCannotBeDecodedIsLeftAlone() throws {
    try folder.write(#"{"format":1,"version":2,"saved":{"notes":3}}"#, to: "notes.json")

    try expectFailure(
      { if case .notDecodable = $0 { true } else { false } },
      version: 2
    )
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

    #expect(failure.map { Self.isDamaged($0.cause) } == true)
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

    try expectFailure { $0 == .fileMissing }

    let keeper = try Keeper(directory: folder.url)
    let store = try keeper.open(NotesStore.self) { _ in .restorePrevious }
    #expect(store.notes.value == ["first"])
  }

  @Test func closureCanDeclineToRecover() throws {
    try folder.write("damaged", to: "notes.json")
    let keeper = try Keeper(directory: folder.url)

    #expect(throws: KeeperFailure.self) {
      try keeper.open(NotesStore.self) { failure throws(KeeperFailure) in throw failure }
    }

    #expect(try folder.text(of: "notes.json") == "damaged")
  }

  @Test func storeCanBeOpenedAfterAFailure() throws {
    try folder.write("damaged", to: "notes.json")
    let keeper = try Keeper(directory: folder.url)
    #expect(throws: KeeperFailure.self) { try keeper.open(NotesStore.self) }

    let store = try keeper.open(NotesStore.self) { _ in .startFresh }

    #expect(store.notes.value == [])
    #expect(NotesStore.instantiate() === store)
  }
}
