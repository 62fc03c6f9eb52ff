import Foundation
import GitHubSample
import Testing

/// Tests of the built command with faults of the network or the server.
@Suite(.timeLimit(.minutes(20)), .enabled(if: GitHubReposProcess.isBuilt))
struct GitHubReposFaultTests {
  /// A fault of a server, and a part of the error message that reports the fault.
  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let sentence: String
    var exitCode: Int32 = 1
    var arguments: [String] = []
    var output = ""
    let reply: @Sendable (Int) -> LoopbackServer.Reply

    init(
      _ name: String,
      _ sentence: String,
      exitCode: Int32 = 1,
      arguments: [String] = [],
      output: String = "",
      reply: @escaping @Sendable (Int) -> LoopbackServer.Reply
    ) {
      testDescription = name
      self.sentence = sentence
      self.exitCode = exitCode
      self.arguments = arguments
      self.output = output
      self.reply = reply
    }
  }

  private static let faults: [Fault] = [
    Fault("a body shorter than its length", "was lost") { _ in
      .bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\": {")
    },
    Fault("truncated chunks", "was lost") { _ in
      .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"dat")
    },
    Fault("truncated without a length", "is not JSON") { _ in
      .bytes("HTTP/1.1 200 OK\r\n\r\n{\"data\": {")
    },
    Fault("truncated within gzip", "127.0.0.1") { _ in
      let whole = GitHubReposFaultTests.gzipOfABomb
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
      return .data(Data(head.utf8) + whole.prefix(500))
    },
    Fault("a body that is not gzip", "was lost") { _ in
      .answer(headers: ["Content-Encoding": "gzip"], body: Data("plain".utf8))
    },
    Fault("a gzip bomb", "sent more than 16 MB") { _ in
      .answer(headers: ["Content-Encoding": "gzip"], body: GitHubReposFaultTests.gzipOfABomb)
    },
    Fault("a challenge", "rejected the token: Bad credentials. Use a valid token", exitCode: 4) {
      _ in
      .answer(
        status: 401,
        headers: ["WWW-Authenticate": "Basic realm=\"GitHub\""],
        body: Data(#"{"message": "Bad credentials"}"#.utf8)
      )
    },
    Fault("single sign-on", "Authorize the token here: https://github.com/sso") { _ in
      .answer(
        status: 403,
        headers: ["X-GitHub-SSO": "required; url=https://github.com/sso"],
        body: Data(#"{"message": "Protected"}"#.utf8)
      )
    },
    Fault("a long rate limit", "limits the rate of requests: slow down. Try again in 30 minutes") {
      _ in
      .answer(
        status: 403,
        headers: ["Retry-After": "1800"],
        body: Data(#"{"message": "slow down."}"#.utf8)
      )
    },
    Fault("a gateway that times out", "took too long to respond (HTTP 502)") { _ in
      .answer(status: 502, body: Data("<html>".utf8))
    },
    Fault("the third page fails", "was lost", output: .line("page-0") + .line("page-1")) {
      $0 < 2 ? .page($0, of: 5) : .close
    },
    Fault("silence", "no complete response within 1 second", arguments: ["--timeout", "1"]) { _ in
      .silence
    },
    Fault("slow bytes", "no complete response within 1 second", arguments: ["--timeout", "1"]) {
      _ in
      .drip
    },
    Fault("a redirect", "redirects to https://elsewhere.example/, but the token is not sent") {
      _ in
      .answer(status: 302, headers: ["Location": "https://elsewhere.example/"], body: Data())
    },
    Fault("a body that is not JSON", "is not JSON (HTTP 200)") { _ in
      .answer(body: Data("<html>".utf8))
    },
    Fault("JSON of another shape", "does not match the query") { _ in
      .answer(body: Data("[1, 2, {}]".utf8))
    },
    Fault("partial data with an error", "could not answer the query: oops") { _ in
      .answer(
        body: Data(#"{"data": {"repositoryOwner": null}, "errors": [{"message": "oops"}]}"#.utf8)
      )
    },
    Fault("an unknown owner", "has no user or organization named 'mona'") { _ in
      .answer(body: Data(#"{"data": {"repositoryOwner": null}}"#.utf8))
    },
    Fault(
      "a cursor that never advances",
      "gives no way to reach them",
      output: .line("a") + .line("b")
    ) {
      .answer(body: Data(String.answer($0 == 0 ? "a" : "b", total: 9, next: "same").utf8))
    },
    Fault("the token in the response", "No bearer <token> here", exitCode: 4) { _ in
      .answer(status: 401, body: Data(#"{"message": "No bearer ghp_secretOfMona here"}"#.utf8))
    },
  ]

  @Test(arguments: faults) func commandReportsANetworkFaultInOneLine(fault: Fault) async throws {
    try await LoopbackServer.serving(fault.reply) { server in
      let process = try await GitHubReposProcess.run(
        ["mona", "--all"] + fault.arguments,
        GitHubReposProcess.Setup(variables: server.variables)
      )

      #expect(process.output == fault.output)
      #expect(process.errors.hasPrefix("github-repos: "))
      #expect(process.errors.contains(fault.sentence))
      #expect(process.errors.contains("127.0.0.1:\(server.port)"))
      #expect(process.errors.split(separator: "\n").count == 1)
      #expect(!process.errors.contains(LoopbackServer.token))
      #expect(process.exitCode == fault.exitCode)
    }
  }

  @Test func commandDecodesAGzipResponse() async throws {
    let body = Gzip.stored(Data(String.answer("a").utf8))
    let reply = LoopbackServer.Reply.answer(headers: ["Content-Encoding": "gzip"], body: body)

    let process = try await LoopbackServer.serving({ _ in reply }) { server in
      try await GitHubReposProcess.run("mona", variables: server.variables)
    }

    #expect(process.output == String.line("a"))
    #expect(process.errors == "")
    #expect(process.exitCode == 0)
  }

  @Test func commandReportsARefusedConnectionInOneLine() async throws {
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

  @Test func commandReportsAnUnknownHostInOneLine() async throws {
    let process = try await GitHubReposProcess.run(
      "mona",
      "--hostname",
      "github.invalid",
      "--timeout",
      "5",
      variables: ["GH_ENTERPRISE_TOKEN": "token"]
    )

    #expect(process.errors.hasPrefix("github-repos: github.invalid "))
    #expect(process.errors.split(separator: "\n").count == 1)
    #expect(process.exitCode == 1)
  }

  @Test func commandSendsARequestAgainWhenTheServerClosesTheConnection() async throws {
    let first = Data(String.answer("page-0", total: 2, next: "0").utf8)
    let reply: @Sendable (Int) -> LoopbackServer.Reply = { index in
      switch index {
      case 0: .keepAlive(body: first)
      case 1: .close
      default: .page(1, of: 2)
      }
    }

    try await LoopbackServer.serving(reply) { server in
      let process = try await GitHubReposProcess.run("mona", variables: server.variables)

      #expect(process.output == String.line("page-0") + .line("page-1"))
      #expect(process.errors == "")
      #expect(process.exitCode == 0)
      #expect(server.receivedRequests.count == 3)
    }
  }

  @Test func commandContinuesAfterWaitingForAShortRateLimit() async throws {
    let reply: @Sendable (Int) -> LoopbackServer.Reply = { index in
      index > 0
        ? .page(0, of: 1)
        : .answer(
          status: 429,
          headers: ["Retry-After": "0"],
          body: Data(#"{"message": "slow down"}"#.utf8)
        )
    }

    let process = try await LoopbackServer.serving(reply) { server in
      try await GitHubReposProcess.run("mona", variables: server.variables)
    }

    #expect(process.output == String.line("page-0"))
    #expect(process.errors.contains("limits the rate of requests; continuing in 1 second."))
    #expect(process.exitCode == 0)
  }

  @Test(
    arguments: ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
    ["127.0.0.1", "localhost", "LOCALHOST"]
  )
  func commandSendsTheTokenNeitherToAProxyNorToADebugLog(proxy name: String, host: String)
    async throws
  {
    try await LoopbackServer.serving({ _ in .close }) { proxy in
      try await LoopbackServer.serving({ .page($0, of: 1) }) { server in
        var variables = server.variables
        variables["GITHUB_GRAPHQL_URL"] = server.url.replacing("127.0.0.1", with: host)
        variables[name] = proxy.url
        variables["no_proxy"] = "example.com"
        variables["URLSessionDebugLibcurl"] = "1"

        let process = try await GitHubReposProcess.run("mona", variables: variables)

        #expect(process.errors == "")
        #expect(process.exitCode == 0)
        #expect(proxy.receivedRequests.isEmpty)
      }
    }
  }

  @Test(arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
  func proxyOfATLSConnectionReceivesNoToken(proxy name: String) async throws {
    try await LoopbackServer.serving({ _ in .close }) { proxy in
      let variables = ["GH_HOST": "example.com", "GH_ENTERPRISE_TOKEN": "secret", name: proxy.url]

      let process = try await GitHubReposProcess.run("mona", "--timeout=60", variables: variables)

      #expect(process.exitCode == 1)
      #expect(!proxy.receivedRequests.isEmpty)
      for request in proxy.receivedRequests {
        #expect(request.head.hasPrefix("CONNECT example.com:443 "))
        #expect(!request.head.contains(/(?i)authorization|secret/))
      }
    }
  }

  @Test(arguments: [
    (["GITHUB_GRAPHQL_URL": "http://127.0.0.2:80/graphql"], "127.0.0.2"),
    (["GITHUB_GRAPHQL_URL": " HTTP://LocalHost/graphql "], "LocalHost"),
    (["GITHUB_GRAPHQL_URL": "http://localhost", "no_proxy": "a, b"], "a, b,localhost"),
    (["GITHUB_GRAPHQL_URL": "http://localhost", "no_proxy": "", "NO_PROXY": "a"], "a,localhost"),
    (["GITHUB_GRAPHQL_URL": "http://localhost", "no_proxy": "*"], nil),
    (["GITHUB_GRAPHQL_URL": "https://example.com/graphql"], nil),
    ([:], nil),
  ])
  func exceptionsForProxiesNameExactlyTheHostWithoutTLS(
    variables: [String: String],
    exceptions: String?
  ) {
    #expect(ProxyExceptions.hosts(in: variables) == exceptions)
  }

  /// The server leaves one of three repositories out.
  @Test(arguments: [
    #"{"type": "FORBIDDEN", "path": ["repositoryOwner", "repositories", "nodes", 0], "message": "needs SSO"}"#,
    #"{"type": "FORBIDDEN", "message": "needs SSO"}"#,
    #"{"path": ["repositoryOwner", "repositories", "nodes", 0], "message": "needs SSO"}"#,
  ])
  func forbiddenRepositoryIsMissingFromTheListWithAWarning(error: String) async throws {
    @Sendable func body(_ name: String, _ error: String? = nil, next: String? = nil) -> Data {
      var text = String.answer(name, total: 3, next: next)
      if let error { text = "{\"errors\": [\(error)], " + text.dropFirst() }
      return Data(text.utf8)
    }
    let warning = """
       withheld 1 item of the list: needs SSO. Check the permissions of the token. The list above is \
      incomplete: it has 2 of 3.

      """
    try await LoopbackServer.serving({ index in
      .answer(body: index % 2 == 0 ? body("a", error, next: "b") : body("b"))
    }) { server in
      let list = try await GitHubReposProcess.run("mona", variables: server.variables)
      #expect(list.output == String.line("a") + String.line("b"))
      #expect(list.errors.hasSuffix(warning))
      #expect(list.exitCode == 1)

      let json = try await GitHubReposProcess.run(
        "mona",
        "--json=nameWithOwner",
        variables: server.variables
      )
      #expect(json.output == #"[{"nameWithOwner":"mona/a"},{"nameWithOwner":"mona/b"}]"# + "\n")
      #expect(json.errors.hasSuffix(warning))
      #expect(json.exitCode == 1)
    }
  }

  @Test(arguments: [
    #"{"type": "FORBIDDEN", "path": ["repositoryOwner"], "message": "no"}"#,
    #"{"type": "RESOURCE_LIMITS_EXCEEDED", "path": ["repositoryOwner", "repositories", "nodes", 0], "message": "no"}"#,
    #"{"type": "NOT_FOUND", "message": "no"}"#,
  ])
  func errorOfTheWholeQueryLeavesNoRows(error: String) async throws {
    let body = "{\"errors\": [\(error)], " + String.answer("a").dropFirst()
    try await LoopbackServer.serving({ _ in .answer(body: Data(body.utf8)) }) { server in
      let list = try await GitHubReposProcess.run("mona", variables: server.variables)
      #expect(list.output == "")
      #expect(list.exitCode == 1)
    }
  }

  @Test func commandShowsAnUnknownRepositoryVisibility() async throws {
    let answer = String.answer("a", visibility: "LIMITED")

    try await LoopbackServer.serving({ _ in .answer(body: Data(answer.utf8)) }) { server in
      let list = try await GitHubReposProcess.run("mona", variables: server.variables)
      let json = try await GitHubReposProcess.run(
        "mona",
        "--json=visibility,isPrivate",
        variables: server.variables
      )

      #expect(list.output == "mona/a\t1\t0\t\tlimited\t\t\n")
      #expect(json.output.contains(#""isPrivate":true,"visibility":"LIMITED""#), "\(json.output)")
      #expect(list.exitCode == 0)
    }
  }

  @Test func commandNeverWritesHarmfulCharactersFromTheServer() async throws {
    let hostile = #""\u001b]0;owned\u0007 \u001b[2J \u202etxt \u0000 \u009b1m \u200b end""#
    let answer = String.answer("a", description: hostile, visibility: #"\u001b]0;owned\u0007"#)
    let reply: @Sendable (Int) -> LoopbackServer.Reply = { _ in .answer(body: Data(answer.utf8)) }

    let outputs = try await LoopbackServer.serving(reply) { server in
      let variables = server.variables
      return [
        try await GitHubReposProcess.run("mona", variables: variables).output,
        try await GitHubReposProcess.run("mona", "--json", variables: variables).output,
        try await GitHubReposProcess.runOnTerminal(
          columns: 200,
          "mona",
          "--color=never",
          variables: variables
        ).output,
      ]
    }

    for output in outputs {
      let shown = output.replacing("\u{1B}[K", with: "")
      #expect(shown.contains("end"))
      for scalar in shown.unicodeScalars where scalar != "\n" && scalar != "\t" && scalar != "\r" {
        let category = scalar.properties.generalCategory
        #expect(category != .control && category != .format)
      }
    }
  }

  /// A part of 32 MB of zeros in the gzip format. Each compressed byte stands for about a kilobyte
  /// of zeros.
  private static let gzipOfABomb: Data = {
    let beginning = "H4sIAAAAAAACA+3BMREAMAgEMC+vgLlu0MHhvRrYk0w6LwUA"
    return (Data(base64Encoded: beginning) ?? Data()) + Data(count: 32_500)
  }()
}
