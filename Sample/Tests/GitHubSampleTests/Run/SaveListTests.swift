import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import GitHubSample
import Testing

/// Tests of the last list, which each `list` command saves.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SaveListTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func laterListReplacesTheLastList() async {
    await folder.fetch("mona", from: MockApiSession(.page("a", total: 1)))
    await folder.fetch("mona", from: MockApiSession(.page("b", total: 1)))

    #expect(await folder.runCached().output == .line("b"))
  }

  @Test func listOfTheTokensOwnerIsSavedWithTheOwnersLogin() async {
    await folder.fetch(
      from: MockApiSession(.success(GitHub.User(login: "mona")), .page("a", total: 1))
    )

    #expect(await folder.runCached("mona").output == .line("a"))
  }

  @Test func failedFetchKeepsTheLastList() async {
    await folder.fetch("mona", from: MockApiSession(.page("a", total: 1)))
    await folder.fetch(
      "mona",
      "--all",
      from: MockApiSession(.page("b", total: 2, next: "1"), .failure(.unexpectedShape))
    )

    #expect(await folder.runCached().output == .line("a"))
  }

  @Test func eachFetchOfTheLiveExplorerIsSaved() async {
    let session = MockApiSession(.page("a", total: 1), .page("b", total: 1))
    let rounds = Protected(0)

    _ = await runCommand(
      "mona",
      "--explore-live",
      session: session,
      recorder: ConsoleRecorder(),
      cacheFolder: folder.url,
      awaitEnter: {
        rounds.withLock { rounds in
          rounds += 1
          return rounds < 2
        }
      }
    )

    #expect(await folder.runCached().output == .line("b"))
  }

  @Test func tokenIsNotInTheFile() async throws {
    await folder.fetch("mona", from: MockApiSession(.page("a", total: 1), token: "s3cret-token"))

    #expect(folder.names == ["list.json"])
    #expect(try !folder.text(of: "list.json").contains("s3cret"))
  }

  @Test func demoAndSearchSaveNothing() async {
    let shown = [
      await folder.fetch("--demo", from: MockApiSession()),
      await folder.fetch("search", "octo", from: MockApiSession(.users("octocat", total: 1))),
    ]

    #expect(shown.allSatisfy { $0.exitCode == .success })

    #expect(folder.names == [])
  }

  @Test func nextFetchKeepsADamagedFileUnderAnotherName() async throws {
    try folder.write("damaged", to: "list.json")

    await folder.fetch("mona", from: MockApiSession(.page("a", total: 1)))

    #expect(await folder.runCached().output == .line("a"))
    #expect(try folder.text(of: "list.aside-1.json") == "damaged")
  }

  // MARK: - Folders that can't be used

  @Test func listCommandSucceedsIfTheFolderCannotBeCreated() async throws {
    try folder.write("", to: "file")

    let fetched = await folder.fetch(
      "mona",
      from: MockApiSession(.page("a", total: 1)),
      in: "file/github-repos"
    )

    #expect(fetched.output == .line("a"))
    #expect(fetched.errors == "")
    #expect(fetched.exitCode == .success)
  }

  @Test func listCommandSucceedsWithoutSavingIfOthersCanWriteToTheFolder() async throws {
    try folder.setPermissions(0o777)

    let fetched = await folder.fetch("mona", from: MockApiSession(.page("a", total: 1)))

    #expect(fetched.output == .line("a"))
    #expect(fetched.errors == "")
    #expect(fetched.exitCode == .success)
    #expect(folder.names == [])
  }

  @Test func listCommandSucceedsWithoutSavingWhileAnotherCommandSaves() async throws {
    let keeper = try Keeper(directory: folder.url)

    let fetched = await folder.fetch("mona", from: MockApiSession(.page("a", total: 1)))

    #expect(fetched.output == .line("a"))
    #expect(fetched.errors == "")
    #expect(fetched.exitCode == .success)
    #expect(folder.names == [])
    try await keeper.close()
  }
}
