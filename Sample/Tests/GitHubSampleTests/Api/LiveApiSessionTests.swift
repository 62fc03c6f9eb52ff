import Foundation
import GitHubSample
import Testing

/// Tests of the live session on the real network stack, with a local server that can misbehave.
@Suite(.timeLimit(.minutes(20)))
struct LiveApiSessionTests {
  private static let token = "ghp_secretOfMona"
  private let request = RepositoriesRequest.ofMona(first: 2, after: "1")

  private func session(
    at url: String,
    limits: HTTPLimits = HTTPLimits(time: .seconds(50), bodySize: 10_000)
  ) -> LiveApiSession {
    LiveApiSession(
      variables: ["GITHUB_GRAPHQL_URL": url, "GH_TOKEN": LiveApiSessionTests.token],
      limits: limits,
      deadline: Deadline(after: .seconds(1_000))
    )
  }

  /// Returns the reason why a request fails when the server sends a given reply.
  private func failure(
    from reply: LoopbackServer.Reply,
    limits: HTTPLimits = HTTPLimits(time: .seconds(50), bodySize: 10_000)
  ) async throws -> ApiError.Reason? {
    try await LoopbackServer.serving({ _ in reply }) { server in
      let error = await #expect(throws: ApiError.self) {
        try await session(at: server.url, limits: limits).send(request)
      }
      #expect(error?.place == "127.0.0.1:\(server.port)")
      return error?.reason
    }
  }

  @Test func liveSessionSendsTheTokenAndDecodesThePage() async throws {
    let body = Data(String.answer("a", total: 3, next: "2").utf8)

    try await LoopbackServer.serving({ _ in .answer(body: body) }) { server in
      let page = try await session(at: server.url).send(request)

      #expect(page == .of("a", total: 3, next: "2"))
      let received = try #require(server.receivedRequests.first)
      #expect(received.head.hasPrefix("POST /graphql HTTP/1.1\r\n"))
      #expect(received.head.contains("Authorization: bearer \(LiveApiSessionTests.token)"))
      #expect(received.head.contains("User-Agent: github-repos"))
      let sent = try JSONDecoder().decode(SentBody.self, from: Data(received.body.utf8))
      #expect(sent.variables["login"] == .text("mona"))
      #expect(sent.variables["first"] == .number(2))
      #expect(sent.variables["after"] == .text("1"))
      #expect(!sent.query.contains("mona"))
    }
  }

  @Test func liveSessionSendsSeveralRequestsInSequence() async throws {
    let reply: @Sendable (Int) -> LoopbackServer.Reply = {
      .answer(body: Data(String.answer("\($0)").utf8))
    }

    try await LoopbackServer.serving(reply) { server in
      let session = session(at: server.url)
      for index in 0..<5 {
        let page = try await session.send(request)

        #expect(page == .of("\(index)", total: 1))
      }
    }
  }

  @Test func liveSessionReportsAnAuthenticationChallengeAsARejectedToken() async throws {
    let reply = LoopbackServer.Reply.answer(
      status: 401,
      headers: ["WWW-Authenticate": "Basic realm=\"GitHub\""],
      body: Data(#"{"message": "Bad credentials"}"#.utf8)
    )

    #expect(try await failure(from: reply) == .rejectedToken("Bad credentials"))
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func liveSessionReportsARedirectInsteadOfFollowingTheRedirect(status: Int) async throws {
    try await LoopbackServer.serving({ _ in .close }) { elsewhere in
      let reply = LoopbackServer.Reply.answer(
        status: status,
        headers: ["Location": elsewhere.url],
        body: Data()
      )

      let reason = try await failure(from: reply)

      #expect(reason == .redirected(to: elsewhere.url))
      #expect(elsewhere.receivedRequests.isEmpty)
    }
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
      (
        200,
        #"{"data": {"repositoryOwner": null}, "errors": [{"type": "NOT_FOUND", "message": "?"}]}"#,
        .unknownOwner(login: "mona")
      ),
      (
        200, #"{"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}"#,
        .rateLimited("API rate limit exceeded", retryAfter: .seconds(60))
      ),
      (
        200, #"{"message": "You have exceeded a secondary rate limit"}"#,
        .rateLimited("You have exceeded a secondary rate limit", retryAfter: .seconds(60))
      ),
      (
        200, #"{"errors": [{"message": "A secondary rate limit"}]}"#,
        .rateLimited("A secondary rate limit", retryAfter: .seconds(60))
      ),
      (
        200, #"{"errors": [{"type": "RATE_LIMITED"}]}"#,
        .rateLimited("no reason is given", retryAfter: .seconds(60))
      ),
      (
        200, #"{"errors": [{"type": "INSUFFICIENT_SCOPES", "message": "repo"}]}"#,
        .forbidden("repo", singleSignOn: nil)
      ),
      (300, #"{"message": "Choose"}"#, .unexpectedStatus(300, "Choose")),
      (
        200, #"{"errors": [{"type": "FORBIDDEN", "message": "SAML"}]}"#,
        .forbidden("SAML", singleSignOn: nil)
      ),
      (
        200,
        #"{"data": {"repositoryOwner": null}, "errors": [{"message": "Something went wrong"}]}"#,
        .refusedQuery("Something went wrong")
      ),
      (
        403, #"{"message": "You have exceeded a secondary rate limit"}"#,
        .rateLimited("You have exceeded a secondary rate limit", retryAfter: .seconds(60))
      ),
      (
        403, #"{"message": "Must have admin rights"}"#,
        .forbidden("Must have admin rights", singleSignOn: nil)
      ),
      (404, #"{"message": "Not Found"}"#, .unexpectedStatus(404, "Not Found")),
      (502, "<html>Bad Gateway</html>", .gatewayTimedOut(status: 502)),
      (504, "", .gatewayTimedOut(status: 504)),
    ] as [(Int, String, ApiError.Reason)]
  )
  func liveSessionReportsTheReasonWhyAResponseIsUnusable(
    status: Int,
    body: String,
    reason: ApiError.Reason
  )
    async throws
  {
    let reply = LoopbackServer.Reply.answer(status: status, body: Data(body.utf8))

    #expect(try await failure(from: reply) == reason)
  }

  @Test(
    arguments: [
      (["Retry-After": "7"], 7), (["Retry-After": "100000"], 100_000), (["Retry-After": "0"], 1),
      (["Retry-After": "-5"], 60), (["Retry-After": "soon"], 60), ([:], 60),
      (["Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"], 1),
      (["Retry-After": "Wednesday, 21-Oct-15 07:28:00 GMT"], 1),
      (["Retry-After": "Wed Oct 21 07:28:00 2015"], 1),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"], 1),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "\(Int.min)"], 1),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "never"], 60),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1", "Retry-After": "9"], 9),
    ] as [([String: String], Int)]
  )
  func liveSessionReportsTheTimeToWaitForARateLimit(headers: [String: String], seconds: Int)
    async throws
  {
    let body = Data(#"{"message": "slow down"}"#.utf8)
    let reply = LoopbackServer.Reply.answer(status: 429, headers: headers, body: body)

    #expect(
      try await failure(from: reply) == .rateLimited("slow down", retryAfter: .seconds(seconds))
    )
  }

  @Test func tokenInAResponseIsReplaced() async throws {
    let (token, replaced) = (LiveApiSessionTests.token, "<token>")
    #expect(
      try await failure(
        from: .answer(status: 401, body: Data(#"{"message": "No \#(token), \#(token)"}"#.utf8))
      ) == .rejectedToken("No \(replaced), \(replaced)")
    )
    #expect(
      try await failure(
        from: .answer(
          status: 302,
          headers: ["Location": "https://a.example/\(token)"],
          body: Data()
        )
      ) == .redirected(to: "https://a.example/\(replaced)")
    )
    try await LoopbackServer.serving({ _ in .answer(body: Data(String.answer(token).utf8)) }) {
      server in
      let page = try await session(at: server.url).send(request)
      #expect(page == .of(replaced, total: 1))
    }
  }

  @Test func liveSessionReportsTheURLOfARequiredSingleSignOn() async throws {
    let reply = LoopbackServer.Reply.answer(
      status: 403,
      headers: ["X-GitHub-SSO": "required; url=https://github.com/orgs/x/sso?a=b"],
      body: Data(#"{"message": "Protected by SAML"}"#.utf8)
    )

    #expect(
      try await failure(from: reply)
        == .forbidden("Protected by SAML", singleSignOn: "https://github.com/orgs/x/sso?a=b")
    )
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"data\":",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{\"da",
  ])
  func liveSessionReportsATruncatedBodyAsALostConnection(bytes: String) async throws {
    let reason = try await failure(from: .bytes(bytes))

    guard case .connectionLost? = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
  }

  @Test func liveSessionReportsATruncatedBodyWithoutALengthAsInvalidJSON() async throws {
    let reply = LoopbackServer.Reply.bytes("HTTP/1.1 200 OK\r\n\r\n{\"data\": {")

    #expect(try await failure(from: reply) == .notJSON(status: 200))
  }

  @Test func liveSessionReportsALostConnectionWhenTheServerClosesTheConnection() async throws {
    let reason = try await failure(from: .close)

    guard case .connectionLost? = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
  }

  @Test func liveSessionRejectsAResponseBodyOverTheSizeLimit() async throws {
    let reply = LoopbackServer.Reply.answer(body: Data(repeating: 0x20, count: 1_000_000))

    #expect(try await failure(from: reply) == .tooLarge(limit: 10_000))
  }

  @Test func liveSessionAppliesTheSizeLimitToTheDecompressedBody() async throws {
    // The compressed body has 239 bytes, and the decompressed body has 200,008 bytes.
    let bomb = try #require(
      Data(
        base64Encoded: "H4sIAAAAAAACA+3BMREAMAgEMC+vgLlu0MHhvRrYk0w6LwU"
          + String(repeating: "A", count: 257) + "nGU/Re36kUgNAwA="
      )
    )
    let reply = LoopbackServer.Reply.answer(headers: ["Content-Encoding": "gzip"], body: bomb)

    #expect(try await failure(from: reply) == .tooLarge(limit: 10_000))
  }

  @Test func requestToASilentServerFailsAtTheTimeLimit() async throws {
    let limits = HTTPLimits(time: .milliseconds(50), bodySize: 10_000)

    #expect(
      try await failure(from: .silence, limits: limits) == .timedOut(after: .milliseconds(50))
    )
  }

  @Test func liveSessionReportsARefusedConnectionAsAnUnreachableServer() async throws {
    try await LoopbackServer.refusing { url in
      let error = await #expect(throws: ApiError.self) {
        try await session(at: url).send(request)
      }

      guard case .unreachable? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
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
