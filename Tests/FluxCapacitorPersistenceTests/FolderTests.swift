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

  private func save(to directory: URL) async throws {
    let dispatcher = Dispatcher()
    let keeper = try Keeper(directory: directory, dispatcher: dispatcher, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)
    NotesAction(dispatcher).add("Roads")
    try await keeper.flush()
    NotesAction(dispatcher).add("No roads")
    try await keeper.close()
    withExtendedLifetime(store) {}
  }

  @Test func onlyTheOwnerCanReadTheCreatedFolderAndFiles() async throws {
    let nested = folder.file("a/b")

    try await save(to: nested)

    #expect(try folder.permissions("a") == 0o700)
    #expect(try folder.permissions("a/b") == 0o700)
    #expect(try folder.permissions("a/b/notes.json") == 0o600)
    #expect(try folder.permissions("a/b/notes.previous") == 0o600)
  }

  @Test(arguments: [0o777, 0o1777, 0o775, 0o722])
  func folderThatOthersCanWriteToIsAnError(permissions: Int) throws {
    try folder.setPermissions(permissions)

    let failure = #expect(throws: KeeperFailure.self) { try Keeper(directory: folder.url) }

    #expect(failure?.cause == .writableByOthers(permissions: permissions))
    #expect("\(try failure.orThrow())".contains(String(permissions, radix: 8)))
  }

  @Test func fileInPlaceOfTheFolderIsAnError() throws {
    try folder.write("", to: "file")

    let failure = #expect(throws: KeeperFailure.self) { try Keeper(directory: folder.file("file")) }

    #expect(failure?.cause == .system(call: "open folder", code: ENOTDIR))
  }

  @Test func symbolicLinkInPlaceOfTheFileIsAnErrorAndItsTargetIsLeftAlone() throws {
    let target = try TemporaryFolder()
    try target.write("precious", to: "target")
    try FileManager.default.createSymbolicLink(
      at: folder.file("notes.json"),
      withDestinationURL: target.file("target")
    )
    let keeper = try Keeper(directory: folder.url)

    let failure = #expect(throws: KeeperFailure.self) { try keeper.open(NotesStore.self) }

    #expect(failure?.cause == .notAFile)
    #expect(try target.text(of: "target") == "precious")
  }

  @Test func symbolicLinkThatAppearsLaterIsReplacedAndItsTargetIsLeftAlone() async throws {
    let target = try TemporaryFolder()
    try target.write("precious", to: "target")
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)
    for name in ["notes.json", "notes.previous", ".notes.saving", ".notes.becoming-previous"] {
      try FileManager.default.createSymbolicLink(
        at: folder.file(name),
        withDestinationURL: target.file("target")
      )
    }

    NotesAction().add("Roads")
    try await keeper.close()

    #expect(try folder.contains("Roads"))
    #expect(try target.text(of: "target") == "precious")
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

    try await save(to: folder.url)

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
  func fullDiskIsAFailureUntilThereIsSpace() async throws {
    let mount = try Mount(at: folder, options: "size=64k")
    let clock = ManualClock()
    let keeper = try Keeper(directory: folder.url, clock: clock)
    let store = try keeper.open(NotesStore.self)
    NotesAction().add("Roads")
    try await keeper.flush()
    let before = try folder.text(of: "notes.json")
    let filler = [UInt8](repeating: 0, count: 4096)
    let file = open(folder.file("filler").path, O_WRONLY | O_CREAT, 0o600)
    while write(file, filler, filler.count) > 0 {}
    close(file)

    NotesAction().add("No roads")
    let failure = await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    #expect(failure?.cause == .system(call: "write", code: ENOSPC))
    #expect(keeper.failure.value == failure)
    #expect(try folder.text(of: "notes.json") == before)

    try FileManager.default.removeItem(at: folder.file("filler"))
    try await keeper.flush()
    #expect(keeper.failure.value == nil)
    #expect(try folder.contains("No roads"))
    withExtendedLifetime((mount, store)) {}
  }

  @Test(.enabled(if: Mount.isPossible))
  func readOnlyFolderIsRestoredAndItsFirstSaveFails() async throws {
    let mount = try Mount(at: folder, options: "size=64k")
    try await save(to: folder.url)
    try mount.remount(options: "ro")

    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(NotesStore.self)
    #expect(store.notes.value == ["Roads", "No roads"])
    NotesAction().add("Where we're going")
    let failure = await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    #expect("\(try failure.orThrow())".contains("Read-only file system"))

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

  @Test func folderOpensOnceItsPermissionsAreRepaired() throws {
    try folder.setPermissions(0o777)
    #expect(throws: KeeperFailure.self) { try Keeper(directory: folder.url) }
    try folder.setPermissions(0o700)

    _ = try Keeper(directory: folder.url)
  }
}
