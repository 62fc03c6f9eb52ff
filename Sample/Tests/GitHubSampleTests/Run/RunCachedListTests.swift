import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import Foundation
import GitHubSample
import Testing

/// Tests of the option `--cached`, which shows the last list.
@Suite(.timeLimit(.minutes(20)))
struct RunCachedListTests {
  private let folder: TemporaryFolder
  private let page = MockApiSession.Reply.success(
    Page(items: GitHub.Repository.various, totalCount: 4)
  )

  init() throws { folder = try TemporaryFolder() }

  // MARK: - Showing the last list

  @Test func cachedOptionShowsTheLastListWithItsAgeOnATerminal() async {
    let fetched = await folder.fetch("mona", from: page, terminal: .plain)

    let cached = await folder.runCached(terminal: .plain, now: .start + 300)

    let title = "Showing 3 of 4 repositories in @mona (fetched 5 minutes ago)\n\nNAME "
    #expect(cached.output.hasPrefix(title))
    #expect(cached.output.replacing(" (fetched 5 minutes ago)", with: "") == fetched.output)
    #expect(cached.errors == fetched.errors)
    #expect(cached.exitCode == .success)
  }

  @Test(arguments: ["", "--json"])
  func cachedOptionWritesTheSameTextToAPipeAsTheFetch(option: String) async {
    let fetched = await folder.fetch("mona \(option)", from: page)

    let cached = await folder.runCached(option)

    #expect(fetched.output.contains("2023-11-14T19:13:20Z"))
    #expect(cached.output == fetched.output)
    #expect(cached.errors == "github-repos: The server lists only 3 of 4 repositories.\n")
    #expect(cached.errors == fetched.errors)
    #expect(cached.exitCode == .success)
  }

  @Test func limitOptionShortensTheLastList() async {
    await folder.fetch("mona", from: page)

    let inPipe = await folder.runCached("-L 1 --json=nameWithOwner")
    let onTerminal = await folder.runCached("-L 1", terminal: .plain)

    #expect(inPipe.output == "[{\"nameWithOwner\":\"mona/clock\"}]\n")
    #expect(
      onTerminal.output.hasPrefix(
        "Showing 1 of 4 repositories in @mona (fetched just now); see --limit and --all\n"
      )
    )
  }

  @Test func cachedOptionShowsAListOfMoreThan30Repositories() async {
    let items = (0..<40).map { GitHub.Repository.named("\($0)") }
    await folder.fetch("mona --all", from: .success(Page(items: items, totalCount: 40)))

    #expect(await folder.runCached().output.split(separator: "\n").count == 40)
  }

  @Test func cachedOptionAcceptsTheOwnersLoginInAnyCase() async {
    await folder.fetch("mona", from: .page("a", total: 1))

    #expect(await folder.runCached("Mona").output == .line("a"))
  }

  @Test func cachedOptionShowsTheLastListWhileAnotherCommandSaves() async throws {
    await folder.fetch("mona", from: .page("a", total: 1))
    let keeper = try Keeper(directory: folder.url)

    #expect(await folder.runCached().output == .line("a"))
    try await keeper.close()
  }

  // MARK: - Errors

  private func expectFailure(of cached: Outcome, _ reason: String) {
    #expect(cached.output == "")
    #expect(cached.errors == "github-repos: \(reason) Omit --cached to fetch a list.\n")
    #expect(cached.exitCode == .failure)
  }

  @Test func cachedOptionReportsThatTheLastListBelongsToAnotherOwner() async {
    await folder.fetch("mona", from: .page("a", total: 1))

    let cached = await folder.runCached("hub\u{1B}ot")

    expectFailure(of: cached, "The last list belongs to @mona, not to @hub\u{FFFD}ot.")
  }

  @Test(arguments: ["", "missing"])
  func cachedOptionReportsThatNoListHasBeenSaved(folderName: String) async {
    let cached = await folder.runCached(in: folderName)

    expectFailure(of: cached, "No list has been saved yet.")
    #expect(folder.names == [])
  }

  @Test func cachedOptionReportsADamagedFileAndLeavesItAlone() async throws {
    await folder.fetch("mona", from: .page("a", total: 1))
    let damaged = try folder.text(of: "list.json").replacing("mona", with: "lisa")
    try folder.write(damaged, to: "list.json")

    let cached = await folder.runCached()

    let file = folder.file("list.json").path
    expectFailure(of: cached, "\(file) is damaged: the checksum doesn't match the contents.")
    #expect(try folder.text(of: "list.json") == damaged)
  }

  @Test func fetchNeverReplacesTheFileOfANewerVersion() async throws {
    let newer = #"{"format": 1, "version": 2, "saved": {}}"#
    try folder.write(newer, to: "list.json")

    await folder.fetch("mona", from: .page("a", total: 1))
    let cached = await folder.runCached()

    expectFailure(
      of: cached,
      """
      A newer version of the application has written \(folder.file("list.json").path) (version 2). \
      The newest known version is 1.
      """
    )
    #expect(folder.names == ["list.json"])
    #expect(try folder.text(of: "list.json") == newer)
  }
}
