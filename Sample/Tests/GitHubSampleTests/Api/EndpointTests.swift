import Foundation
import GitHubSample
import Testing

@Suite(.timeLimit(.minutes(20)))
struct EndpointTests {
  private let request = RepositoriesRequest.ofMona(first: 2)

  @Test(
    arguments: [
      ([:], .missingToken(variables: ["GH_TOKEN", "GITHUB_TOKEN"])),
      (
        ["GH_TOKEN": "", "GITHUB_TOKEN": " \n"],
        .missingToken(variables: ["GH_TOKEN", "GITHUB_TOKEN"])
      ),
      (["GH_TOKEN": "two words"], .malformedToken(source: "GH_TOKEN")),
      (["GITHUB_TOKEN": "line\nbreak"], .malformedToken(source: "GITHUB_TOKEN")),
      (["GH_TOKEN": "bell\u{7}", "GITHUB_TOKEN": "fine"], .malformedToken(source: "GH_TOKEN")),
      (["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "http://example.com/graphql"], .insecureEndpoint),
      (["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "http://127.0.0.1.example/"], .insecureEndpoint),
      (["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "http://localhost.example/"], .insecureEndpoint),
      (
        ["GH_TOKEN": "t", "GH_HOST": "ghe.example"],
        .missingToken(variables: ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"])
      ),
      // GitHub itself never receives an enterprise's token.
      (
        ["GH_ENTERPRISE_TOKEN": "t", "GH_HOST": "GitHub.com.:443"],
        .missingToken(variables: ["GH_TOKEN", "GITHUB_TOKEN"])
      ),
      (
        ["GH_ENTERPRISE_TOKEN": "t", "GITHUB_GRAPHQL_URL": "https://api.github.com./graphql"],
        .missingToken(variables: ["GH_TOKEN", "GITHUB_TOKEN"])
      ),
      (
        ["GH_ENTERPRISE_TOKEN": "t", "GH_HOST": "www.github.com"],
        .missingToken(variables: ["GH_TOKEN", "GITHUB_TOKEN"])
      ),
      (["GH_TOKEN": "t", "GH_HOST": "evil.example/api?"], .unusableEndpoint("evil.example/api?")),
      (["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "ftp://x/"], .unusableEndpoint("ftp://x/")),
      (["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "graphql"], .unusableEndpoint("graphql")),
      (["GITHUB_GRAPHQL_URL": "htp://h/?access_token=t"], .unusableEndpoint("htp://h/?…")),
      (
        ["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "https://me:word@x/"],
        .unusableEndpoint("it contains a user name")
      ),
    ] as [([String: String], ApiError.Reason)]
  )
  func requestFailsIfTheTokenOrTheServerAddressIsInvalid(
    variables: [String: String],
    reason: ApiError.Reason
  ) async {
    let error = await #expect(throws: ApiError.self) {
      try await LiveApiSession(variables: variables, deadline: Deadline(after: .seconds(100)))
        .send(request)
    }

    #expect(error?.reason == reason)
  }

  @Test func requestHeaderOmitsTheLineBreakAtTheEndOfTheToken() async throws {
    try await LoopbackServer.serving({ .page($0, of: 1) }) { server in
      let session = LiveApiSession(
        variables: ["GITHUB_GRAPHQL_URL": server.url, "GITHUB_TOKEN": "token\r\n"],
        // A busy machine may take longer than the usual limit.
        limits: HTTPLimits(time: .seconds(100), bodySize: 10_000),
        deadline: Deadline(after: .seconds(100))
      )
      _ = try await session.send(request)

      let head = try #require(server.receivedRequests.first?.head)
      #expect(head.contains("Authorization: bearer token\r\n"))
    }
  }

  @Test(
    arguments: [
      (nil, [:], "api.github.com"),
      (nil, ["GH_HOST": "ghe.example"], "ghe.example"),
      (nil, ["GH_HOST": "mona.ghe.com"], "api.mona.ghe.com"),
      ("ghe.example:8443", ["GH_HOST": "other.example"], "ghe.example:8443"),
      ("ghe.example", ["GITHUB_GRAPHQL_URL": "https://other.example/"], "ghe.example"),
      (nil, ["GITHUB_GRAPHQL_URL": "https://other.example/"], "other.example"),
    ] as [(String?, [String: String], String)]
  )
  func sessionTakesTheHostFromTheOptionOrElseFromTheEnvironment(
    hostname: String?,
    variables: [String: String],
    place: String
  ) {
    var options = ConnectionOptions()
    options.hostname = hostname
    options.token = AccessToken("t")

    let session = LiveApiSession(
      options: options,
      variables: variables,
      deadline: Deadline(after: .seconds(100))
    )

    #expect(session.place == place)
  }
}
