import GitHubSample
import Testing

/// Tests of the built command with a server that withholds repositories.
@Suite(.timeLimit(.minutes(20)), .enabled(if: GitHubReposProcess.executable.isBuilt))
struct GitHubReposWithheldTests {
  /// The server leaves one of three repositories out.
  @Test(arguments: [
    #"{"type": "FORBIDDEN", "path": ["repositoryOwner", "repositories", "nodes", 0], "message": "needs SSO"}"#,
    #"{"type": "FORBIDDEN", "message": "needs SSO"}"#,
    #"{"path": ["repositoryOwner", "repositories", "nodes", 0], "message": "needs SSO"}"#,
  ])
  func forbiddenRepositoryIsMissingFromTheListWithAWarning(error: String) async throws {
    let first = "{\"errors\": [\(error)], " + String.answer("a", total: 3, next: "b").dropFirst()
    let second = String.answer("b", total: 3)
    let warning = """
       withheld 1 item of the list: needs SSO. Check the permissions of the token. The list above is \
      incomplete: it has 2 of 3.

      """
    try await LoopbackServer.serving({ .text($0 % 2 == 0 ? first : second) }) { server in
      let list = try await server.run("mona")
      #expect(list.output == String.line("a") + String.line("b"))
      #expect(list.errors.hasSuffix(warning))
      #expect(list.exitCode == 1)

      let json = try await server.run("mona --json=nameWithOwner")
      #expect(json.output == #"[{"nameWithOwner":"mona/a"},{"nameWithOwner":"mona/b"}]"# + "\n")
      #expect(json.errors.hasSuffix(warning))
      #expect(json.exitCode == 1)
    }
  }

  @Test(arguments: ["-L 1", "--all"])
  func repositoriesAfterPagesOfWithheldOnesAreListed(option: String) async throws {
    let reply = { @Sendable index in
      index < 5
        ? LoopbackServer.Reply.withheldPage(next: "\(index)") : .text(.answer("a", total: 6))
    }
    try await LoopbackServer.serving(reply) { server in
      let list = try await server.run("mona \(option)")

      #expect(list.output == String.line("a"))
      #expect(
        list.errors.hasSuffix(
          """
           withheld 5 items of the list: needs SSO. Authorize the token here: https://github.com/sso \
          The list above is incomplete: it has 1 of 6.

          """
        )
      )
      #expect(list.exitCode == 1)
    }
  }

  @Test func withheldRepositoriesAreReportedBeforeACursorThatNeverAdvances() async throws {
    try await LoopbackServer.serving({ _ in .withheldPage(next: "same") }) { server in
      let list = try await server.run("mona")

      #expect(list.errors.contains("withheld 2 items"))
      #expect(list.errors.contains("https://github.com/sso"))
      #expect(list.exitCode == 1)
    }
  }

  @Test(arguments: [
    #"{"type": "FORBIDDEN", "path": ["repositoryOwner"], "message": "no"}"#,
    #"{"type": "RESOURCE_LIMITS_EXCEEDED", "path": ["repositoryOwner", "repositories", "nodes", 0], "message": "no"}"#,
    #"{"type": "NOT_FOUND", "message": "no"}"#,
  ])
  func errorOfTheWholeQueryLeavesNoRows(error: String) async throws {
    let body = "{\"errors\": [\(error)], " + String.answer("a").dropFirst()
    try await LoopbackServer.serving({ _ in .text(body) }) { server in
      let list = try await server.run("mona")
      #expect(list.output == "")
      #expect(list.exitCode == 1)
    }
  }
}
