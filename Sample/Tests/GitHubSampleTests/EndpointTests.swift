import Foundation
import GitHubSample
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EndpointTests {
  private let request = RepositoriesRequest(login: "mona", first: 2)

  @Test(
    arguments: [
      ([:], .missingToken),
      (["GH_TOKEN": "", "GITHUB_TOKEN": " \n"], .missingToken),
      (["GH_TOKEN": "two words"], .malformedToken(variable: "GH_TOKEN")),
      (["GITHUB_TOKEN": "line\nbreak"], .malformedToken(variable: "GITHUB_TOKEN")),
      (["GH_TOKEN": "bell\u{7}", "GITHUB_TOKEN": "fine"], .malformedToken(variable: "GH_TOKEN")),
      (["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "http://example.com/graphql"], .insecureEndpoint),
      (
        ["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "http://127.0.0.1.example.com/"], .insecureEndpoint
      ),
      (
        ["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "http://localhost.example.com/"], .insecureEndpoint
      ),
      (["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "ftp://x/"], .unusableEndpoint("ftp://x/")),
      (["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "graphql"], .unusableEndpoint("graphql")),
      (
        ["GH_TOKEN": "t", "GITHUB_GRAPHQL_URL": "https://me:word@x/"],
        .unusableEndpoint("it holds a user name")
      ),
    ] as [([String: String], ApiError.Reason)]
  )
  func nothingIsSentWithout(variables: [String: String], reason: ApiError.Reason) async {
    let error = await #expect(throws: ApiError.self) {
      try await LiveApiSession(variables: variables).send(request)
    }

    #expect(error?.reason == reason)
  }

  @Test func aLineBreakAtTheEndOfTheTokenIsLeftOut() async throws {
    let body = Data(String.answer("a").utf8)

    try await LoopbackServer.serving({ _ in .answer(body: body) }) { server in
      let session = LiveApiSession(
        variables: ["GITHUB_GRAPHQL_URL": server.url, "GITHUB_TOKEN": "token\r\n"]
      )
      _ = try await session.send(request)

      #expect(
        server.receivedRequests.first?.head.contains("Authorization: bearer token\r\n") == true
      )
    }
  }
}
