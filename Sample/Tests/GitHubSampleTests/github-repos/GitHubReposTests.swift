import FluxCapacitorTestSupport
import Foundation
import GitHubSample
import Testing

/// Tests of the built command, from the arguments to the exit code.
@Suite(.timeLimit(.minutes(20)), .enabled(if: GitHubReposProcess.executable.isBuilt))
struct GitHubReposTests {
  @Test func commandIsNotLinkedWithTestingLibraries() throws {
    let binary = try Data(contentsOf: GitHubReposProcess.executable.url)

    #expect(binary.range(of: Data("FluxCapacitor".utf8)) != nil)
    for name in ["FluxCapacitorTesting", "libTesting", "libXCTest"] {
      #expect(binary.range(of: Data(name.utf8)) == nil, "The command is linked with \(name).")
    }
  }

  @Test func commandShowsProgressAndThenATableOnATerminal() async throws {
    let process = try await LoopbackServer.serving({ .page($0, of: 3) }) { server in
      var variables = server.variables
      variables["NO_COLOR"] = "1"
      return try await GitHubReposProcess.runOnTerminal(columns: 60, "mona", variables: variables)
    }

    #expect(
      process.output.hasSuffix(
        """
        \r\u{1B}[KShowing 3 of 3 repositories in @mona

        NAME         STARS  LANGUAGE  INFO    PUSHED  DESCRIPTION
        mona/page-0      1            public
        mona/page-1      1            public
        mona/page-2      1            public

        """
      )
    )
    #expect(process.output.contains("Fetched 2 of 3 repositories…"))
    #expect(process.exitCode == 0)
  }

  @Test func cachedOptionShowsTheSavedListWithoutAServerOrAToken() async throws {
    let folder = try TemporaryFolder()
    let caches = GitHubReposProcess.cacheVariables(folder.url)
    let fetched = try await LoopbackServer.serving({ .page($0, of: 2) }) { server in
      let variables = server.variables.merging(caches) { $1 }
      return try await GitHubReposProcess.run("mona", variables: variables)
    }

    let cached = try await GitHubReposProcess.run("--cached", variables: caches)

    #expect(cached.output == .line("page-0") + .line("page-1"))
    #expect(cached.output == fetched.output)
    #expect(cached.errors == "")
    #expect(cached.exitCode == 0)
  }

  @Test func tokenThatTheServerRepeatsReachesNeitherAFileNorTheOutput() async throws {
    let folder = try TemporaryFolder()
    let caches = GitHubReposProcess.cacheVariables(folder.url)
    let files = "--log \(folder.file("log").path) --explore \(folder.file("page").path)"
    let answer = String.answer("a", description: #""\u0067hp_secretOfMona ghp\u005FsecretOfMona""#)
    let listed = try await LoopbackServer.serving({ _ in .text(answer) }) { server in
      try await GitHubReposProcess.run(
        "mona \(files)",
        variables: server.variables.merging(caches) { $1 }
      )
    }

    let cached = try await GitHubReposProcess.run("--cached --json", variables: caches)

    #expect(listed.output == .line("a", description: "<token> <token>"))
    #expect(cached.output.contains("<token> <token>"))
    for name in ["log", "page", "github-repos/list.json"] {
      // The page escapes the first character of "<token>".
      #expect(try folder.text(of: name).contains("token>"))
      #expect(try !folder.text(of: name).contains("secretOfMona"))
    }
  }

  /// The user might take the token for a host or a login.
  @Test(arguments: [
    ("octocat", ["GH_HOST": LoopbackServer.token, "GH_TOKEN": LoopbackServer.token], ""),
    (
      "octocat --token-stdin", ["GITHUB_GRAPHQL_URL": "ftp://\(LoopbackServer.token)"],
      LoopbackServer.token
    ),
    ("--token \(LoopbackServer.token) --hostname \(LoopbackServer.token)", [:], ""),
    ("--token=\(LoopbackServer.token) -L\(LoopbackServer.token)", [:], ""),
    ("--hostname \(LoopbackServer.token) --token-stdin", [:], LoopbackServer.token),
    (LoopbackServer.token, ["GITHUB_TOKEN": LoopbackServer.token], ""),
    ("search \(LoopbackServer.token) --token-stdin", [:], LoopbackServer.token),
    ("show \(LoopbackServer.token)/a", ["GITHUB_TOKEN": LoopbackServer.token], ""),
  ])
  func tokenThatTheUserRepeatsReachesNeitherAFileNorTheOutputNorTheServer(
    arguments: String,
    variables: [String: String],
    input: String
  ) async throws {
    let folder = try TemporaryFolder()
    let files = "--log \(folder.file("log").path) --explore \(folder.file("page").path)"
    try await LoopbackServer.serving({ _ in .text(.answer("a")) }) { server in
      var variables = ["GITHUB_GRAPHQL_URL": server.url].merging(variables) { $1 }
      if variables["GH_HOST"] != nil { variables["GITHUB_GRAPHQL_URL"] = nil }
      let process = try await GitHubReposProcess.run(
        "\(arguments) \(files)",
        variables: variables,
        input: input
      )

      let files = try folder.names.map { try folder.text(of: $0) }
      let bodies = server.receivedRequests.map(\.body)
      let text = (files + bodies + [process.output, process.errors]).joined()
      #expect(text.contains("token>"))
      #expect(!text.contains("secretOfMona"))
    }
  }

  @Test(arguments: [40, 60_000])
  func commandReadsTheTokenFromStandardInput(length: Int) async throws {
    let token = String(repeating: "g", count: length)
    try await LoopbackServer.serving({ .page($0, of: 1) }) { server in
      let process = try await GitHubReposProcess.run(
        "mona --token-stdin",
        variables: ["GITHUB_GRAPHQL_URL": server.url],
        input: " \(token) \r\nmore\n"
      )

      let head = try #require(server.receivedRequests.first?.head)
      #expect(head.contains("Authorization: bearer \(token)\r\n"))
      #expect(process.exitCode == 0)
    }
  }

  @Test func terminalDoesNotShowATypedToken() async throws {
    try await LoopbackServer.serving({ .page($0, of: 1) }) { server in
      let process = try await GitHubReposProcess.runOnTerminal(
        "mona --token-stdin",
        variables: ["GITHUB_GRAPHQL_URL": server.url],
        typing: "ghp_typedByHand\n"
      )

      let head = try #require(server.receivedRequests.first?.head)
      #expect(head.contains("Authorization: bearer ghp_typedByHand\r\n"))
      #expect(process.output.hasPrefix("Token:\n\n"))
      #expect(!process.output.contains("ghp_typedByHand"))
      #expect(process.leavesEcho)
      #expect(process.exitCode == 0)
    }
  }

  @Test func interruptTurnsTheTerminalEchoOnAgain() async throws {
    let process = try await GitHubReposProcess.runOnTerminal(
      "mona --token-stdin",
      isRead: false,
      whileRunning: { kill($0, SIGINT) }
    )

    #expect(process.leavesEcho)
    #expect(process.exitCode == 130)
  }

  @Test func commandExitsWithCode4WithoutAToken() async throws {
    let process = try await GitHubReposProcess.run("mona")

    #expect(process.output == "")
    #expect(
      process.errors == """
        github-repos: api.github.com requires a token. Set GH_TOKEN or GITHUB_TOKEN, or try \
        --demo.

        """
    )
    #expect(process.exitCode == 4)
  }

  @Test func commandExitsWithCode2AfterAUsageError() async throws {
    let process = try await GitHubReposProcess.run("--nonsense")

    #expect(process.output == "")
    #expect(process.exitCode == 2)
  }

  // MARK: The terminal and the shell

  @Test func interruptErasesTheSpinnerAndEndsTheCommand() async throws {
    try await LoopbackServer.serving({ _ in .silence }) { server in
      let process = try await GitHubReposProcess.runOnTerminal(
        "mona",
        variables: server.variables
      ) { process in
        server.waitForRequest()
        kill(process, SIGINT)
      }

      #expect(process.output.hasSuffix("\r\u{1B}[K"))
      #expect(process.exitCode == 130)
    }
  }

  @Test func interruptEndsTheCommandWhileTheTerminalIsBlocked() async throws {
    let description = "\"\(String(repeating: "x", count: 200_000))\""
    let answer = String.answer("a", description: description)

    try await LoopbackServer.serving({ _ in .text(answer) }) { server in
      let process = try await GitHubReposProcess.runOnTerminal(
        "mona --json",
        variables: server.variables,
        isRead: false,
        whileRunning: { kill($0, SIGINT) }
      )

      #expect(process.exitCode == 130)
    }
  }

  @Test(arguments: ["", "--json"])
  func sigpipeEndsTheCommandAfterItsFilesWhenTheReaderClosesThePipe(option: String) async throws {
    let folder = try TemporaryFolder()
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()

    let process = try await LoopbackServer.serving({ .page($0, of: 1) }) { server in
      try await GitHubReposProcess.run(
        "mona \(option) --explore \(folder.file("page").path)",
        variables: server.variables
          .merging(GitHubReposProcess.cacheVariables(folder.url)) { $1 },
        output: pipe.fileHandleForWriting
      )
    }

    #expect(process.errors == "")
    #expect(process.exitCode == 141)
    #expect(try folder.text(of: "page").contains("page-0"))
    #expect(try folder.text(of: "github-repos/list.json").contains("page-0"))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func commandReportsAFailedWriteToAFullDisk() async throws {
    let disk = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))

    let process = try await GitHubReposProcess.run("--demo", output: disk)

    #expect(process.errors.hasPrefix("github-repos: The output could not be written: "))
    #expect(process.exitCode == 1)
  }

  @Test func outputToAClosedStandardStreamDoesNotReachTheServer() async throws {
    try await LoopbackServer.serving({ .page($0, of: 3) }) { server in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = [
        "-c", "exec \"$0\" mona <&- >&- 2>&-", GitHubReposProcess.executable.url.path,
      ]
      process.environment = server.variables
        .merging(GitHubReposProcess.cacheVariables(URL(fileURLWithPath: "/dev/null"))) { $1 }
      await (try RunningProcess(process)).waitForEnd()

      // The server must receive only requests, because the command's output must not reach a
      // socket.
      #expect(process.terminationReason == .exit)
      #expect(process.terminationStatus == 1)
      #expect(server.receivedRequests.allSatisfy { $0.head.hasPrefix("POST /graphql") })
    }
  }
}
