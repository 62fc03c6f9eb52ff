import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import Foundation
import GitHubSample
import Testing

/// Tests of the last list, which each `list` command saves.
@Suite(.timeLimit(.minutes(20)))
struct SaveListTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func listOfTheTokensOwnerIsSavedWithTheOwnersLogin() async {
    await folder.fetch("", from: .success(GitHub.User(login: "mona")), .page("a", total: 1))

    #expect(await folder.runCached("mona").output == .line("a"))
  }

  @Test func failedFetchKeepsTheLastList() async {
    await folder.fetch("mona", from: .page("a", total: 1))
    await folder.fetch(
      "mona --all",
      from: .page("b", total: 2, next: "1"),
      .failure(.unexpectedShape)
    )

    #expect(await folder.runCached().output == .line("a"))
  }

  @Test func tokenIsNotInTheFile() async throws {
    await folder.fetch("mona --token s3cret-token", from: .page("a", total: 1))

    #expect(folder.names == ["list.json"])
    #expect(try !folder.text(of: "list.json").contains("s3cret"))
  }

  @Test func demoAndSearchSaveNothing() async {
    let demo = await folder.fetch("--demo")
    let search = await folder.fetch("search octo", from: .users("octocat", total: 1))

    #expect([demo, search].allSatisfy { $0.exitCode == .success })
    #expect(folder.names == [])
  }

  @Test func nextFetchKeepsADamagedFileUnderAnotherName() async throws {
    try folder.write("damaged", to: "list.json")

    await folder.fetch("mona", from: .page("a", total: 1))

    #expect(await folder.runCached().output == .line("a"))
    #expect(try folder.text(of: "list.aside-1.json") == "damaged")
  }

  // MARK: - Folders that can't be used

  private func expectSuccessWithoutSaving(in name: String = "") async {
    let names = folder.names

    let fetched = await folder.fetch("mona", from: .page("a", total: 1), in: name)

    #expect(fetched.output == .line("a"))
    #expect(fetched.errors == "")
    #expect(fetched.exitCode == .success)
    #expect(folder.names == names)
  }

  @Test func listCommandSucceedsIfTheFolderCannotBeCreated() async throws {
    try folder.write("", to: "file")

    await expectSuccessWithoutSaving(in: "file/github-repos")
  }

  @Test func listCommandSucceedsWithoutSavingIfOthersCanWriteToTheFolder() async throws {
    try folder.setPermissions(0o777)

    await expectSuccessWithoutSaving()
  }

  @Test func listCommandSucceedsWithoutSavingWhileAnotherCommandSaves() async throws {
    let keeper = try Keeper(directory: folder.url)

    await expectSuccessWithoutSaving()

    try await keeper.close()
  }
}
