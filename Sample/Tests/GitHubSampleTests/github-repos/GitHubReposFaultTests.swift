import FluxCapacitorTestSupport
import Foundation
import GitHubSample
import Testing

/// Tests of the built command with faults of the network or the server.
@Suite(.timeLimit(.minutes(20)), .enabled(if: GitHubReposProcess.executable.isBuilt))
struct GitHubReposFaultTests {
  /// A fault of a server, and a part of the error message that reports the fault.
  struct Fault: CustomTestStringConvertible, Sendable {
    let name: String
    let error: String
    var exitCode: Int32 = 1
    var options = ""
    var output = ""
    let reply: @Sendable (Int) -> LoopbackServer.Reply

    var testDescription: String { name }
  }

  private static let faults: [Fault] = [
    Fault(name: "a body shorter than its length", error: "was lost") { _ in
      .bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\": {")
    },
    Fault(name: "truncated chunks", error: "was lost") { _ in
      .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"dat")
    },
    Fault(name: "truncated without a length", error: "is not JSON") { _ in
      .bytes("HTTP/1.1 200 OK\r\n\r\n{\"data\": {")
    },
    Fault(name: "truncated within gzip", error: "127.0.0.1") { _ in
      .data(Data("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8) + bomb.prefix(500))
    },
    Fault(name: "a body that is not gzip", error: "was lost") { _ in
      .answer(headers: ["Content-Encoding": "gzip"], body: Data("plain".utf8))
    },
    Fault(name: "a gzip bomb", error: "sent more than 16 MB") { _ in
      .answer(headers: ["Content-Encoding": "gzip"], body: bomb)
    },
    Fault(
      name: "a challenge",
      error: "rejected the token: Bad credentials. Use a valid token",
      exitCode: 4
    ) { _ in
      .text(
        #"{"message": "Bad credentials"}"#,
        status: 401,
        headers: ["WWW-Authenticate": "Basic realm=\"GitHub\""]
      )
    },
    Fault(name: "single sign-on", error: "Authorize the token here: https://github.com/sso") { _ in
      .text(
        #"{"message": "Protected"}"#,
        status: 403,
        headers: ["X-GitHub-SSO": "required; url=https://github.com/sso"]
      )
    },
    Fault(
      name: "a long rate limit",
      error: "limits the rate of requests: slow down. Try again in 30 minutes"
    ) { _ in
      .text(#"{"message": "slow down."}"#, status: 403, headers: ["Retry-After": "1800"])
    },
    Fault(name: "a gateway that times out", error: "took too long to respond (HTTP 502)") { _ in
      .text("<html>", status: 502)
    },
    Fault(
      name: "the third page fails",
      error: "was lost",
      output: .line("page-0") + .line("page-1")
    ) {
      $0 < 2 ? .page($0, of: 5) : .close
    },
    Fault(name: "silence", error: "no complete response within 1 second", options: "--timeout 1") {
      _ in
      .silence
    },
    Fault(name: "slow bytes", error: "no complete response within 1 second", options: "--timeout 1")
    { _ in
      .drip
    },
    Fault(
      name: "a redirect",
      error: "redirects to https://elsewhere.example/, but the token is not sent"
    ) { _ in
      .text("", status: 302, headers: ["Location": "https://elsewhere.example/"])
    },
    Fault(name: "JSON of another shape", error: "does not match the query") { _ in
      .text("[1, 2, {}]")
    },
    Fault(name: "partial data with an error", error: "could not answer the query: oops") { _ in
      .text(#"{"data": {"repositoryOwner": null}, "errors": [{"message": "oops"}]}"#)
    },
    Fault(
      name: "a cursor that never advances",
      error: "gives no way to reach them",
      output: .line("a") + .line("b")
    ) {
      .text(.answer($0 == 0 ? "a" : "b", total: 9, next: "same"))
    },
  ]

  @Test(arguments: faults) func commandReportsANetworkFaultInOneLine(fault: Fault) async throws {
    try await LoopbackServer.serving(fault.reply) { server in
      let process = try await server.run("mona --all \(fault.options)")

      #expect(process.output == fault.output)
      #expect(process.errors.hasPrefix("github-repos: "))
      #expect(process.errors.contains(fault.error))
      #expect(process.errors.contains("127.0.0.1:\(server.port)"))
      #expect(process.errors.split(separator: "\n").count == 1)
      #expect(!process.errors.contains(LoopbackServer.token))
      #expect(process.exitCode == fault.exitCode)
    }
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

  /// `URLSession` of Linux notices the closed connection only after 12 seconds, in which it keeps a processor busy.
  @Test(.enabled(if: isThorough, "It takes long: run it with THOROUGH=1."))
  func commandSendsARequestAgainWhenTheServerClosesTheConnection() async throws {
    let first = Data(String.answer("page-0", total: 2, next: "0").utf8)
    let replies: [LoopbackServer.Reply] = [.keepAlive(body: first), .close, .page(1, of: 2)]

    try await LoopbackServer.serving({ replies[$0] }) { server in
      let process = try await server.run("mona")

      #expect(process.output == String.line("page-0") + .line("page-1"))
      #expect(process.errors == "")
      #expect(process.exitCode == 0)
      #expect(server.receivedRequests.count == 3)
    }
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

      let process = try await GitHubReposProcess.run("mona --timeout=60", variables: variables)

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

  @Test func commandShowsAnUnknownRepositoryVisibility() async throws {
    let answer = String.answer("a", visibility: "LIMITED")

    try await LoopbackServer.serving({ _ in .text(answer) }) { server in
      let list = try await server.run("mona")
      let json = try await server.run("mona --json=visibility,isPrivate")

      #expect(list.output == "mona/a\t1\t0\t\tlimited\t\t\n")
      #expect(json.output.contains(#""isPrivate":true,"visibility":"LIMITED""#), "\(json.output)")
      #expect(list.exitCode == 0)
    }
  }

  @Test func commandNeverWritesHarmfulCharactersFromTheServer() async throws {
    let hostile = #""\u001b]0;owned\u0007 \u001b[2J \u202etxt \u0000 \u009b1m \u200b end""#
    let answer = String.answer("a", description: hostile, visibility: #"\u001b]0;owned\u0007"#)

    let processes = try await LoopbackServer.serving({ _ in .text(answer) }) { server in
      [
        try await server.run("mona"),
        try await server.run("mona --json"),
        try await GitHubReposProcess.runOnTerminal(
          columns: 200,
          "mona --color=never",
          variables: server.variables
        ),
      ]
    }

    for process in processes {
      let shown = process.output.replacing("\u{1B}[K", with: "")
      #expect(shown.contains("end"))
      for scalar in shown.unicodeScalars where scalar != "\n" && scalar != "\t" && scalar != "\r" {
        let category = scalar.properties.generalCategory
        #expect(category != .control && category != .format)
      }
    }
  }

  /// A part of 32 MB of zeros in the gzip format. Each compressed byte stands for about a kilobyte
  /// of zeros.
  private static let bomb: Data = {
    let beginning = "H4sIAAAAAAACA+3BMREAMAgEMC+vgLlu0MHhvRrYk0w6LwUA"
    return (Data(base64Encoded: beginning) ?? Data()) + Data(count: 32_500)
  }()
}
