import Foundation
import GitHubSample
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests of the live session on the real network stack, with a local server that can misbehave.
@Suite(.timeLimit(.minutes(20)))
struct LiveApiSessionTests {
  private static let token = "ghp_secretOfMona"
  private let request = RepositoriesRequest.ofMona(first: 2, after: "1")

  private func session(at url: String) -> LiveApiSession {
    LiveApiSession(
      variables: ["GITHUB_GRAPHQL_URL": url, "GH_TOKEN": LiveApiSessionTests.token],
      limits: HTTPLimits(time: .seconds(50), bodySize: 10_000),
      deadline: Deadline(after: .seconds(1_000))
    )
  }

  /// Returns the reason why a request fails when the server sends a given reply.
  private func failure(from reply: LoopbackServer.Reply) async throws -> ApiError.Reason? {
    try await LoopbackServer.serving({ _ in reply }) { server in
      let error = await #expect(throws: ApiError.self) {
        try await session(at: server.url).send(request)
      }
      #expect(error?.place == "127.0.0.1:\(server.port)")
      return error?.reason
    }
  }

  @Test func liveSessionSendsTheTokenAndDecodesThePage() async throws {
    let body = String.answer("a", total: 3, next: "2")

    try await LoopbackServer.serving({ _ in .text(body) }) { server in
      let page = try await session(at: server.url).send(request)

      #expect(page == .of("a", total: 3, next: "2"))
      let received = try #require(server.receivedRequests.first)
      #expect(received.head.hasPrefix("POST /graphql HTTP/1.1\r\n"))
      #expect(received.head.contains("Authorization: bearer \(LiveApiSessionTests.token)"))
      #expect(received.head.contains("User-Agent: github-repos"))
      for variable in [#""login":"mona""#, #""first":2"#, #""after":"1""#] {
        #expect(received.body.contains(variable))
      }
      // The query doesn't contain the login.
      #expect(received.body.ranges(of: "mona").count == 1)
    }
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func liveSessionReportsARedirectInsteadOfFollowingTheRedirect(status: Int) async throws {
    try await LoopbackServer.serving({ _ in .close }) { elsewhere in
      let reply = LoopbackServer.Reply.text(
        "",
        status: status,
        headers: ["Location": elsewhere.url]
      )

      let reason = try await failure(from: reply)

      #expect(reason == .redirected(to: elsewhere.url))
      #expect(elsewhere.receivedRequests.isEmpty)
    }
  }

  private static func errors(_ fields: String) -> String {
    "{\"data\": {\"repositoryOwner\": null}, \"errors\": [{\(fields)}]}"
  }

  private static func limited(_ reason: String) -> ApiError.Reason {
    .rateLimited(reason, retryAfter: .seconds(60))
  }

  private static func forbidden(_ reason: String) -> ApiError.Reason {
    .forbidden(reason, singleSignOn: nil)
  }

  @Test(
    arguments: [
      (200, "<html>Hello</html>", .notJSON(status: 200)),
      (200, "", .notJSON(status: 200)),
      (200, #"{"data": {"repositoryOwner": "#, .notJSON(status: 200)),
      (200, #"[1, 2, {"three": null}]"#, .unexpectedShape),
      (200, #"{"data": null}"#, .unexpectedShape),
      (200, #"{"data": {"repositoryOwner": {"repositories": 1}}}"#, .unexpectedShape),
      (200, #"{"data": {"repositoryOwner": null}}"#, .unknownOwner(login: "mona")),
      (200, errors(#""type": "NOT_FOUND", "message": "?""#), .unknownOwner(login: "mona")),
      (200, errors(#""type": "RATE_LIMITED", "message": "too fast""#), limited("too fast")),
      (200, errors(#""type": "RATE_LIMITED""#), limited("no reason is given")),
      (200, errors(#""message": "A secondary rate limit""#), limited("A secondary rate limit")),
      (200, #"{"message": "A secondary rate limit"}"#, limited("A secondary rate limit")),
      (403, #"{"message": "A secondary rate limit"}"#, limited("A secondary rate limit")),
      (200, errors(#""type": "INSUFFICIENT_SCOPES", "message": "repo""#), forbidden("repo")),
      (200, errors(#""type": "FORBIDDEN", "message": "SAML""#), forbidden("SAML")),
      (403, #"{"message": "Must have admin rights"}"#, forbidden("Must have admin rights")),
      (200, errors(#""message": "Something went wrong""#), .refusedQuery("Something went wrong")),
      // The second error concerns the whole response.
      (
        200,
        errors(
          #""type": "FORBIDDEN", "path": ["a", 0]}, "#
            + #"{"type": "RATE_LIMITED", "message": "too fast", "path": ["a"]"#
        ),
        limited("too fast")
      ),
      (300, #"{"message": "Choose"}"#, .unexpectedStatus(300, "Choose")),
      (404, #"{"message": "Not Found"}"#, .unexpectedStatus(404, "Not Found")),
      (502, "<html>Bad Gateway</html>", .gatewayTimedOut(status: 502)),
      (504, "", .gatewayTimedOut(status: 504)),
    ] as [(Int, String, ApiError.Reason)]
  )
  func liveSessionReportsTheReasonWhyAResponseIsUnusable(
    status: Int,
    body: String,
    reason: ApiError.Reason
  ) async throws {
    #expect(try await failure(from: .text(body, status: status)) == reason)
  }

  @Test(
    arguments: [
      (["Retry-After": "7"], 7), (["Retry-After": "100000"], 100_000), (["Retry-After": "0"], 1),
      (["Retry-After": "-5"], 60), (["Retry-After": "soon"], 60), ([:], 60),
      (["Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"], 1),
      (["Retry-After": "Wednesday, 21-Oct-15 07:28:00 GMT"], 1),
      (["Retry-After": "Wed Oct 21 07:28:00 2015"], 1),
      // The clock of the server is hours ahead of this computer's, or behind it.
      (
        ["Retry-After": "Fri, 21 Oct 2095 07:28:03 GMT", "Date": "Fri, 21 Oct 2095 07:28:00 GMT"], 3
      ),
      (
        ["Retry-After": "Wed, 21 Oct 2015 07:28:03 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"], 3
      ),
      (
        [
          "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1445412483",
          "Date": "Wed, 21 Oct 2015 07:28:00 GMT",
        ], 4
      ),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"], 1),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "\(Int.min)"], 1),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "never"], 60),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1", "Retry-After": "9"], 9),
    ] as [([String: String], Int)]
  )
  func liveSessionReportsTheTimeToWaitForARateLimit(headers: [String: String], seconds: Int)
    async throws
  {
    let reason = try await failure(
      from: .text(#"{"message": "slow down"}"#, status: 429, headers: headers)
    )

    #expect(reason == .rateLimited("slow down", retryAfter: .seconds(seconds)))
  }

  @Test func tokenInAResponseIsReplaced() async throws {
    let (token, replaced) = (LiveApiSessionTests.token, "<token>")
    let message = #"{"message": "No \#(token), \#(token)"}"#
    let location = ["Location": "https://a.example/\(token)"]

    let rejection = try await failure(from: .text(message, status: 401))
    #expect(rejection == .rejectedToken("No \(replaced), \(replaced)"))
    let redirect = try await failure(from: .text("", status: 302, headers: location))
    #expect(redirect == .redirected(to: "https://a.example/\(replaced)"))
    try await LoopbackServer.serving({ _ in .text(.answer(token)) }) { server in
      let page = try await session(at: server.url).send(request)
      #expect(page == .of(replaced, total: 1))
    }
  }

  /// The token is spelled with JSON escapes, in percent encoding, or as the base64 text of a header.
  @Test(arguments: [
    #"\u0067hp_secretOfMona"#, #"ghp\u005FsecretOf\u004dona"#, #"ghp\u005fsecretOf\u004Dona"#,
    "%67hp_secretOfMona", "ghp%5FsecretOf%4dona", #"ghp\u00255fsecretOfMona"#,
    Data(token.utf8).base64EncodedString(), Data("bearer \(token)".utf8).base64EncodedString(),
    Data("mona:\(token)\n".utf8).base64EncodedString(),
  ])
  func tokenInAnotherSpellingIsReplaced(spelling: String) async throws {
    let reply = LoopbackServer.Reply.text(#"{"message": "<\#(spelling)>"}"#, status: 401)

    guard case .rejectedToken(let text) = try await failure(from: reply) else {
      Issue.record("The token isn't rejected.")
      return
    }
    #expect(text.hasPrefix("<") && text.hasSuffix(">"))
    #expect(text.contains("<token>"))
    #expect(!text.contains("cretOf"))
    #expect(!text.contains("Y3JldE9m") && !text.contains("ZWNyZXRPZ") && !text.contains("NlY3JldE"))
  }

  /// JSON of the web is UTF-8, but Foundation also reads UTF-16.
  @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf32])
  func responseInAnotherEncodingIsNotJSON(encoding: String.Encoding) async throws {
    let body = try #require(String.answer(LiveApiSessionTests.token).data(using: encoding))

    #expect(try await failure(from: .answer(body: body)) == .notJSON(status: 200))
  }

  @Test func timeLimitIncludesTheTimeOfTheRedaction() async throws {
    let isOver = DispatchSemaphore(value: 0)
    let limits = HTTPLimits(time: .seconds(1), bodySize: 10)
    try await LoopbackServer.serving({ _ in .text("") }) { server in
      let request = URLRequest(url: try #require(URL(string: server.url)))
      await #expect(throws: ApiError.Reason.timedOut(after: .seconds(1))) {
        try await HTTPTransport.shared.send(request, limits: limits) { response in
          isOver.wait()
          return response
        }
      }
      isOver.signal()
    }
  }

  @Test func liveSessionRejectsAResponseBodyOverTheSizeLimit() async throws {
    let reply = LoopbackServer.Reply.answer(body: Data(repeating: 0x20, count: 1_000_000))

    #expect(try await failure(from: reply) == .tooLarge(limit: 10_000))
  }

  @Test func cancellingTheTaskEndsTheNetworkRequest() async throws {
    try await LoopbackServer.serving({ _ in .silence }) { server in
      let session = session(at: server.url)
      var requests = server.requests.makeAsyncIterator()
      for _ in 0..<200 {
        let task = Task { try await session.send(request) }
        _ = await requests.next()

        task.cancel()

        let error = await #expect(throws: ApiError.self) { try await task.value }
        #expect(error?.reason == .cancelled)
      }
    }
  }
}
