import Foundation
import GitHubSample
import Testing

/// Tests that compare lists on a terminal and in a pipe with the exact text.
struct RunListTests {
  private let session = MockApiSession(.page("a", total: 1))
  private let page = MockApiSession.Reply.success(
    Page(items: GitHub.Repository.various, totalCount: 3)
  )

  @Test func listCommandShowsATableOfRepositoriesOnATerminal() async {
    let outcome = await runCommand("mona", session: MockApiSession(page), terminal: .plain)

    #expect(
      outcome.output == """
        Showing 3 of 3 repositories in @mona

        NAME        STARS  LANGUAGE  INFO           PUSHED       DESCRIPTION
        mona/clock   4213  Swift     public         3 hours ago  Tells the time. And th…
        mona/kaizu      1  C++       private, fork  1 year ago   港と航路のための小さな…
        mona/empty      1            public

        C++ █████ 50% · Swift █████ 50%

        """
    )
    #expect(outcome.errors == "")
    #expect(outcome.exitCode == .success)
  }

  @Test func listCommandWritesOneLineForEachRepositoryToAPipe() async {
    let outcome = await runCommand("mona", session: MockApiSession(page))

    #expect(
      outcome.output == """
        mona/clock\t4213\t0\tSwift\tpublic\t2023-11-14T19:13:20Z\tTells the time. And the date.
        mona/kaizu\t1\t0\tC++\tprivate, fork\t2022-10-10T22:13:20Z\t\
        港と航路のための小さな地図ライブラリ、とても長い説明がここに続きます
        mona/empty\t1\t0\t\tpublic\t\t

        """
    )
    #expect(outcome.errors == "")
    #expect(outcome.exitCode == .success)
  }

  @Test func jsonOptionWritesTheChosenFieldsOfEachRepository() async {
    let outcome = await runCommand(
      "mona --json primaryLanguage,nameWithOwner,pushedAt",
      session: MockApiSession(page)
    )

    #expect(
      outcome.output == """
        [{"nameWithOwner":"mona/clock","primaryLanguage":{"name":"Swift"},"pushedAt":"2023-11-14T19:13:20Z"},\
        {"nameWithOwner":"mona/kaizu","primaryLanguage":{"name":"C++"},"pushedAt":"2022-10-10T22:13:20Z"},\
        {"nameWithOwner":"mona/empty","primaryLanguage":null,"pushedAt":null}]

        """
    )
    #expect(outcome.exitCode == .success)
  }

  @Test func jsonOutputEscapesHarmfulCharactersWithoutLoss() async throws {
    let text = "\u{1B}[2J \u{202E}\u{9B}1m \u{E0001} 日本語 👩‍👩‍👧‍👦"
    var repository = GitHub.Repository.named("a")
    repository.summary = text
    let session = MockApiSession(.success(Page(items: [repository], totalCount: 1)))

    let outcome = await runCommand("mona --json=description", session: session)

    #expect(outcome.output.unicodeScalars.allSatisfy { $0.properties.generalCategory != .format })
    #expect(!outcome.output.contains("\u{1B}") && !outcome.output.contains("\u{9B}"))
    let decoded = try JSONDecoder().decode([[String: String]].self, from: Data(outcome.output.utf8))
    #expect(decoded == [["description": text]])
  }

  @Test(
    arguments: ["mona", "mona --json", "show mona/a", "show mona/a --json"],
    [Terminal(width: nil), Terminal(width: 1_000)]
  )
  func outputHasNoControlCharacters(line: String, terminal: Terminal) async {
    let controls = [0...8, 0xB...0x1F, 0x7F...0x9F]
    let bidiControls = [0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069]
    let scalars = (controls + bidiControls).joined().compactMap { Unicode.Scalar(UInt32($0)) }
    let text = scalars.map { "x\($0)" }.joined()
    var repository = GitHub.Repository.named(text)
    (repository.summary, repository.primaryLanguage, repository.url) = (text, text, text)
    repository.visibility = GitHub.Repository.Visibility(rawValue: text)
    let session = MockApiSession(
      line.hasPrefix("show")
        ? .success(repository) : .success(Page(items: [repository], totalCount: 1))
    )

    let outcome = await runCommand(line, session: session, terminal: terminal)

    #expect(outcome.output.contains("x"))
    for scalar in outcome.output.unicodeScalars where scalar != "\n" && scalar != "\t" {
      #expect(!scalars.contains(scalar))
    }
  }

  @Test func listCommandWritesStyledTextToATerminalWithColors() async {
    let outcome = await runCommand(
      "mona",
      session: session,
      terminal: Terminal(width: 80, hasColors: true)
    )

    #expect(
      outcome.output.split(separator: "\n").last
        == "\u{1B}[1mmona/a\u{1B}[0m      \u{1B}[33m1\u{1B}[0m            public"
    )
  }

  @Test(arguments: [("--color=always", true), ("--color=never", false), ("--color=auto", false)])
  func colorOptionOverridesTheColorSupportOfTheTerminal(argument: String, hasColors: Bool) async {
    let outcome = await runCommand("mona \(argument)", session: session, terminal: .plain)

    #expect(outcome.output.contains("\u{1B}[") == hasColors)
  }

  @Test func listCommandWritesEarlierPagesToAPipeWhenALaterPageFails() async {
    let session = MockApiSession(
      .page("a", "b", total: 3, next: "1"),
      .failure(.notJSON(status: 200))
    )

    let outcome = await runCommand("mona --all", session: session)

    #expect(outcome.output == String.line("a") + .line("b"))
    #expect(
      outcome.errors == """
        github-repos: mock sent a response that is not JSON (HTTP 200). Check --hostname and \
        GITHUB_GRAPHQL_URL, or try again later. The list above is incomplete: it has 2 of 3.

        """
    )
    #expect(outcome.exitCode == .failure)
  }

  @Test func listTitleMentionsTheLimitOptionsIfTheLimitHidesRepositories() async {
    let session = MockApiSession(.page("a", total: 3, next: "1"))

    let outcome = await runCommand("mona -L 1", session: session, terminal: .plain)

    #expect(session.requests == [.ofMona(first: 1)])
    #expect(
      outcome.output.hasPrefix(
        "Showing 1 of 3 repositories in @mona; see --limit and --all\n\nNAME"
      )
    )
    #expect(outcome.exitCode == .success)
  }

  @Test func sortAndSourceOptionsChangeTheRequestForRepositories() async {
    var query = RepositoryQuery(login: "mona")
    query.order = .pushed
    query.isFork = false

    let outcome = await runCommand(
      "mona --sort pushed --source",
      session: session,
      terminal: .plain
    )

    #expect(session.requests == [RepositoriesRequest(query, first: 100)])
    #expect(outcome.output.hasPrefix("Showing 1 matching repositories in @mona\n"))
  }

  @Test func listCommandWithoutALoginShowsRepositoriesOfTheTokensOwner() async {
    let session = MockApiSession(.success(GitHub.User(login: "mona")), .page("a", total: 1))

    let outcome = await runCommand("", session: session)

    #expect(session.requests == [.ofMona(first: 30)])
    #expect(outcome.output == String.line("a"))
    #expect(outcome.exitCode == .success)
  }

  @Test(arguments: [
    ("", "github-repos: The server lists only 2 of 3 repositories.\n"), ("--language swift", ""),
    ("-L 2", ""),
  ])
  func listCommandReportsRepositoriesThatAreMissingWithoutAReason(
    option: String,
    errors: String
  ) async {
    let session = MockApiSession(.page("a", "b", total: 3))

    #expect(await runCommand("mona \(option)", session: session).errors == errors)
  }

  @Test func listWithoutAnyOfTheRepositoriesIsNotCalledEmpty() async {
    let session = MockApiSession(.page(total: 3))

    let outcome = await runCommand("mona", session: session, terminal: .plain)

    #expect(outcome.errors == "github-repos: The server lists only 0 of 3 repositories.\n")
  }

  @Test func listCommandReportsAnEmptyListOnlyOnATerminal() async {
    let session = MockApiSession(.page(total: 0), .page(total: 0))

    let onTerminal = await runCommand("mona", session: session, terminal: .plain)
    let inPipe = await runCommand("mona", session: session)

    #expect(onTerminal.output + inPipe.output == "")
    #expect(onTerminal.errors == "There are no repositories in @mona.\n")
    #expect(inPipe.errors == "")
    #expect([onTerminal.exitCode, inPipe.exitCode] == [.success, .success])
  }
}
