import Foundation
import GitHubSample
import Testing

/// The built command, from its arguments to its exit code.
@Suite(.timeLimit(.minutes(5)), .enabled(if: GitHubReposProcess.isBuilt))
struct GitHubReposTests {
  private func variables(for server: LoopbackServer) -> [String: String] {
    ["GITHUB_GRAPHQL_URL": server.url, "GITHUB_TOKEN": "ghp_secretOfMona"]
  }

  @Test func theDemoNeedsNothing() async throws {
    let process = try await GitHubReposProcess.run("--demo")

    #expect(process.output.split(separator: "\n").count == 31)
    #expect(process.errors.hasSuffix("Showing 30 of 36 repositories; see --limit and --all.\n"))
    #expect(process.exitCode == 0)
  }

  @Test func pagesBecomeATable() async throws {
    let reply: @Sendable (Int) -> LoopbackServer.Reply = { index in
      let next = index < 2 ? "\(index)" : nil
      return .answer(body: Data(String.answer("page-\(index)", total: 3, next: next).utf8))
    }

    let process = try await LoopbackServer.serving(reply) { server in
      try await GitHubReposProcess.run("mona", variables: variables(for: server))
    }

    #expect(
      process.output == """
        NAME                             STARS   FORKS  LANGUAGE          PUSHED      DESCRIPTION
        mona/page-0                          1       0  -                 -
        mona/page-1                          1       0  -                 -
        mona/page-2                          1       0  -                 -

        """
    )
    #expect(process.exitCode == 0)
  }

  @Test func withoutATokenNothingIsAsked() async throws {
    let process = try await GitHubReposProcess.run("mona")

    #expect(process.output == "")
    #expect(
      process.errors == """
        github-repos: api.github.com answers nobody without a token. Set GH_TOKEN or \
        GITHUB_TOKEN, or try --demo.

        """
    )
    #expect(process.exitCode == 4)
  }

  @Test func aChallengeEndsInARejectedToken() async throws {
    let reply = LoopbackServer.Reply.answer(
      status: 401,
      headers: ["WWW-Authenticate": "Basic realm=\"GitHub\""],
      body: Data(#"{"message": "Bad credentials"}"#.utf8)
    )

    try await LoopbackServer.serving({ _ in reply }) { server in
      let process = try await GitHubReposProcess.run("mona", variables: variables(for: server))

      #expect(
        process.errors == """
          github-repos: 127.0.0.1:\(server.port) rejected the token: Bad credentials. \
          Set GH_TOKEN or GITHUB_TOKEN to a valid one.

          """
      )
      #expect(process.exitCode == 4)
    }
  }

  @Test func aRefusedConnectionIsOneLine() async throws {
    try await LoopbackServer.refusing { url in
      let process = try await GitHubReposProcess.run(
        "mona",
        variables: ["GITHUB_GRAPHQL_URL": url, "GH_TOKEN": "token"]
      )

      #expect(process.errors.split(separator: "\n").count == 1)
      #expect(process.errors.contains("could not be reached"))
      #expect(process.exitCode == 1)
    }
  }

  @Test func aServerThatClosesIsAskedOnceMore() async throws {
    let body = Data(String.answer("a").utf8)

    try await LoopbackServer.serving({ $0 == 0 ? .close : .answer(body: body) }) { server in
      let process = try await GitHubReposProcess.run("mona", variables: variables(for: server))

      #expect(process.errors == "Fetched 1 of 1 repositories\n")
      #expect(process.exitCode == 0)
      #expect(server.receivedRequests.count == 2)
    }
  }

  @Test func theTokenStaysOutOfProxiesAndLogs() async throws {
    try await LoopbackServer.serving({ _ in .close }) { proxy in
      let body = Data(String.answer("a").utf8)
      try await LoopbackServer.serving({ _ in .answer(body: body) }) { server in
        var variables = variables(for: server)
        variables["http_proxy"] = proxy.url
        variables["no_proxy"] = "example.com"
        variables["URLSessionDebugLibcurl"] = "1"

        let process = try await GitHubReposProcess.run("mona", variables: variables)

        #expect(process.errors == "Fetched 1 of 1 repositories\n")
        #expect(process.exitCode == 0)
        #expect(proxy.receivedRequests.isEmpty)
      }
    }
  }

  @Test func aUsageErrorHasItsOwnCode() async throws {
    let process = try await GitHubReposProcess.run("--nonsense")

    #expect(process.output == "")
    #expect(process.exitCode == 2)
  }
}
