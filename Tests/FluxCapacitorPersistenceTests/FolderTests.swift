import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// The results for unusual folders and files, which the article "Persistence" lists.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct FolderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func onlyTheOwnerCanReadTheCreatedFolderAndFiles() async throws {
    let nested = folder.file("a/b")

    try await folder.saveTwoGenerations(to: nested)

    #expect(try folder.permissions("a") == 0o700)
    #expect(try folder.permissions("a/b") == 0o700)
    #expect(try folder.permissions("a/b/notes.json") == 0o600)
    #expect(try folder.permissions("a/b/notes.previous") == 0o600)
  }

  @Test func keepersCreateTheParentsOfTheirFoldersAtTheSameTime() async throws {
    for round in 1...50 {
      try await withThrowingTaskGroup { group in
        for number in 1...4 {
          group.addTask {
            _ = try Keeper(directory: folder.file("\(round)/parent/\(number)"))
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test(arguments: [0o777, 0o1777, 0o775, 0o722])
  func folderThatOthersCanWriteToIsAnError(permissions: Int) throws {
    try folder.setPermissions(permissions)

    let failure = #expect(throws: KeeperFailure.self) { try Keeper(directory: folder.url) }

    #expect(failure?.cause == .writableByOthers(permissions: permissions))
    #expect(failure?.description.contains(String(permissions, radix: 8)) == true)
    try folder.setPermissions(0o700)
    _ = try Keeper(directory: folder.url)
  }

  @Test func fileInPlaceOfTheFolderIsAnError() throws {
    try folder.write("", to: "file")

    let failure = #expect(throws: KeeperFailure.self) { try Keeper(directory: folder.file("file")) }

    #expect(failure?.cause == .system(call: "open folder", code: ENOTDIR))
  }

  /// Creates links to a file in another folder, and returns that folder.
  private func linkToAFile(_ names: [String]) throws -> TemporaryFolder {
    let target = try TemporaryFolder()
    try target.write("precious", to: "target")
    for name in names {
      try FileManager.default.createSymbolicLink(
        at: folder.file(name),
        withDestinationURL: target.file("target")
      )
    }
    return target
  }

  @Test func symbolicLinkInPlaceOfTheFileIsAnErrorAndItsTargetIsLeftAlone() throws {
    let target = try linkToAFile(["notes.json"])
    let keeper = try Keeper(directory: folder.url)

    let failure = #expect(throws: KeeperFailure.self) { try keeper.open(NotesStore.self) }

    #expect(failure?.cause == .notAFile)
    #expect(try target.text(of: "target") == "precious")
  }

  @Test func symbolicLinkThatAppearsLaterIsReplacedAndItsTargetIsLeftAlone() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)
    let target = try linkToAFile([
      "notes.json", "notes.previous", ".notes.saving", ".notes.becoming-previous",
    ])

    NotesAction().add("Roads")
    try await keeper.close()

    #expect(try folder.contains("Roads"))
    #expect(try target.text(of: "target") == "precious")
    withExtendedLifetime(store) {}
  }

  @Test func folderThatAppearsInPlaceOfTheFileIsAnError() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)
    let file = folder.file("notes.json")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    NotesAction().add("Roads")

    let failure = await #expect(throws: KeeperFailure.self) { try await keeper.flush() }

    #expect(failure?.cause == .notAFile)
    withExtendedLifetime(store) {}
  }

  @Test func pipeInPlaceOfTheFileIsAnErrorAndDoesNotBlock() throws {
    #expect(mkfifo(folder.file("notes.json").path, 0o600) == 0)
    let keeper = try Keeper(directory: folder.url)

    let failure = #expect(throws: KeeperFailure.self) { try keeper.open(NotesStore.self) }

    #expect(failure?.cause == .notAFile)
  }

  @Test func leftoverOfAnInterruptedSaveIsReplaced() async throws {
    try folder.write("half", to: ".notes.saving")
    try folder.write("half", to: ".notes.becoming-previous")

    try await folder.saveTwoGenerations()

    #expect(folder.names == ["notes.json", "notes.previous"])
  }

  @Test func folderThatIsMovedAwayIsAFailure() async throws {
    let directory = folder.file("state")
    let keeper = try Keeper(directory: directory, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)
    NotesAction().add("Roads")
    try await keeper.flush()
    try FileManager.default.moveItem(at: directory, to: folder.file("moved"))

    NotesAction().add("No roads")
    let failure = await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    #expect(failure?.cause == .folderMissing)
    let file = directory.appendingPathComponent("notes.json").path
    #expect(failure?.failureReason == "\(file) can't be used, because the folder is missing.")

    try FileManager.default.moveItem(at: folder.file("moved"), to: directory)
    try await keeper.close()
    #expect(try folder.text(of: "state/notes.json").contains("No roads"))
    withExtendedLifetime(store) {}
  }

  @Test func folderBelowADanglingLinkIsAnError() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link").path,
      withDestinationPath: folder.file("nowhere").path
    )

    let failure = #expect(throws: KeeperFailure.self) {
      try Keeper(directory: folder.file("link/state"))
    }

    #expect(failure?.cause == .system(call: "mkdir", code: ENOENT))
  }

  // MARK: - Mounted file systems

  @Test(.enabled(if: Mount.isPossible))
  func readOnlyFolderIsRestoredAndItsFirstSaveFails() async throws {
    let mount = try Mount(at: folder, options: "size=64k")
    try await folder.saveTwoGenerations()
    try mount.remount(options: "ro")

    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)
    #expect(store.notes.value == ["first", "second"])
    NotesAction().add("Where we're going")
    let failure = await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    #expect(failure?.description.contains("Read-only file system") == true)

    try mount.remount(options: "rw")
    try await keeper.close()
    #expect(try folder.contains("Where we're going"))
  }

  @Test func lockIsReleasedWhileAChildProcessHoldsItsDescriptor() throws {
    let system = FaultyFileSystem(.partialWrite, at: -1)
    var copies: [Int32] = []
    do {
      let keeper = try Keeper(directory: folder.url, fileSystem: system)
      // A child process has copies of all descriptors until it runs its own program.
      copies = system.open.map { dup($0) }
      withExtendedLifetime(keeper) {}
    }

    _ = try Keeper(directory: folder.url)

    for copy in copies { close(copy) }
  }
}
