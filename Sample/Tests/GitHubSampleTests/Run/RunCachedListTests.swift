import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import GitHubSample
import Testing

/// Tests of the option `--cached`, which shows the last list.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct RunCachedListTests {
  private let folder: TemporaryFolder

  private let session = MockApiSession(
    .success(Page(items: GitHub.Repository.various, totalCount: 4))
  )

  init() throws {
    folder = try TemporaryFolder()
  }

  // MARK: - Showing the last list

  @Test func cachedOptionShowsTheLastListWithItsAgeOnATerminal() async {
    await folder.fetch("mona", from: session)

    let cached = await folder.runCached(terminal: .plain, now: .start + 300)

    #expect(
      cached.output == """
        Showing 3 of 4 repositories in @mona (fetched 5 minutes ago)

        NAME        STARS  LANGUAGE  INFO           PUSHED       DESCRIPTION
        mona/clock   4213  Swift     public         3 hours ago  Tells the time. And th…
        mona/kaizu      1  C++       private, fork  1 year ago   港と航路のための小さな…
        mona/empty      1            public

        C++ █████ 50% · Swift █████ 50%

        """
    )
    #expect(cached.errors == "")
    #expect(cached.exitCode == .success)
  }

  @Test func cachedOptionWritesTheSameLinesToAPipeAsTheFetch() async {
    let fetched = await folder.fetch("mona", from: session)

    let cached = await folder.runCached()

    #expect(fetched.output.split(separator: "\n").count == 3)
    #expect(cached.output == fetched.output)
    #expect(cached.errors == "")
    #expect(cached.exitCode == .success)
  }

  @Test func cachedOptionWritesTheSameJSONAsTheFetch() async {
    let fetched = await folder.fetch("mona", "--json", from: session)

    let cached = await folder.runCached("--json")

    #expect(fetched.output.contains(#""pushedAt":"2023-11-14T19:13:20Z""#))
    #expect(cached.output == fetched.output)
  }

  @Test func limitOptionShortensTheLastList() async {
    await folder.fetch("mona", from: session)

    let inPipe = await folder.runCached("-L", "1", "--json=nameWithOwner")
    let onTerminal = await folder.runCached("-L", "1", terminal: .plain)

    #expect(inPipe.output == "[{\"nameWithOwner\":\"mona/clock\"}]\n")
    #expect(
      onTerminal.output.hasPrefix(
        "Showing 1 of 4 repositories in @mona (fetched just now); see --limit and --all\n"
      )
    )
  }

  @Test func cachedOptionShowsAListOfMoreThan30Repositories() async {
    let items = (0..<40).map { GitHub.Repository.named("\($0)") }
    await folder.fetch(
      "mona",
      "--all",
      from: MockApiSession(.success(Page(items: items, totalCount: 40)))
    )

    let cached = await folder.runCached()

    #expect(cached.output.split(separator: "\n").count == 40)
  }

  @Test func titleOfTheLastListMentionsThatItsQueryHadAFilter() async {
    await folder.fetch("mona", "--source", from: MockApiSession(.page("a", total: 2)))

    let cached = await folder.runCached(terminal: .plain)

    #expect(
      cached.output.hasPrefix(
        "Showing 1 matching repositories in @mona (fetched just now)\n"
      )
    )
  }

  @Test func cachedOptionReportsAnEmptyListOnlyOnATerminal() async {
    await folder.fetch("mona", from: MockApiSession(.page(total: 0)))

    let onTerminal = await folder.runCached(terminal: .plain)
    let inPipe = await folder.runCached()

    #expect(onTerminal.output + inPipe.output == "")
    #expect(onTerminal.errors == "@mona has no repositories (fetched just now).\n")
    #expect(inPipe.errors == "")
    #expect([onTerminal.exitCode, inPipe.exitCode] == [.success, .success])
  }

  @Test(arguments: ["Mona", "mona"])
  func cachedOptionAcceptsTheOwnersLoginInAnyCase(login: String) async {
    await folder.fetch("mona", from: MockApiSession(.page("a", total: 1)))

    let cached = await folder.runCached(login)

    #expect(cached.output == .line("a"))
  }

  @Test func cachedOptionShowsTheLastListWhileAnotherCommandSaves() async throws {
    await folder.fetch("mona", from: MockApiSession(.page("a", total: 1)))
    let keeper = try Keeper(directory: folder.url)

    #expect(await folder.runCached().output == .line("a"))
    try await keeper.close()
  }

  // MARK: - Errors

  @Test func cachedOptionReportsThatTheLastListBelongsToAnotherOwner() async {
    await folder.fetch("mona", from: MockApiSession(.page("a", total: 1)))

    let cached = await folder.runCached("hub\u{1B}ot")

    #expect(cached.output == "")
    #expect(
      cached.errors == """
        github-repos: The last list belongs to @mona, not to @hub\u{FFFD}ot. Omit --cached to \
        fetch a list.

        """
    )
    #expect(cached.exitCode == .failure)
  }

  @Test(arguments: ["", "missing"])
  func cachedOptionReportsThatNoListHasBeenSaved(folderName: String) async {
    let cached = await folder.runCached(in: folderName)

    #expect(cached.output == "")
    #expect(
      cached.errors
        == "github-repos: No list has been saved yet. Omit --cached to fetch a list.\n"
    )
    #expect(cached.exitCode == .failure)
    #expect(folder.names == [])
  }

  @Test func cachedOptionReportsADamagedFileAndLeavesItAlone() async throws {
    await folder.fetch("mona", from: MockApiSession(.page("a", total: 1)))
    let damaged = try folder.text(of: "list.json").replacing("mona", with: "lisa")
    try folder.write(damaged, to: "list.json")

    let cached = await folder.runCached()

    #expect(cached.output == "")
    #expect(
      cached.errors == """
        github-repos: \(folder.url.path)/list.json is damaged: the checksum doesn't match the \
        contents. Omit --cached to fetch a list.

        """
    )
    #expect(cached.exitCode == .failure)
    #expect(try folder.text(of: "list.json") == damaged)
  }

  @Test func fetchNeverReplacesTheFileOfANewerVersion() async throws {
    let newer = #"{"format": 1, "version": 2, "saved": {}}"#
    try folder.write(newer, to: "list.json")

    await folder.fetch("mona", from: MockApiSession(.page("a", total: 1)))
    let cached = await folder.runCached()

    #expect(
      cached.errors == """
        github-repos: A newer version of the application has written \(folder.url.path)/list.json \
        (version 2). The newest known version is 1. Omit --cached to fetch a list.

        """
    )
    #expect(cached.exitCode == .failure)
    #expect(folder.names == ["list.json"])
    #expect(try folder.text(of: "list.json") == newer)
  }
}
