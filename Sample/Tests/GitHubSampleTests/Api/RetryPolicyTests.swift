import GitHubSample
import Testing

struct RetryPolicyTests {
  private static let failures: [RetryPolicy.Decision] = [
    .retry(after: .milliseconds(250)), .retry(after: .seconds(1)), .giveUp,
  ]

  @Test(
    arguments: [
      (.connectionLost("gone"), failures),
      (.unexpectedStatus(500, "oops"), failures),
      (.unexpectedStatus(503, "busy"), failures),
      (.unexpectedStatus(404, "where"), [.giveUp]),
      (.gatewayTimedOut(status: 502), failures),
      (
        .rateLimited("slow down", retryAfter: .seconds(60)),
        [.retry(after: .seconds(60)), .retry(after: .seconds(60)), .giveUp]
      ),
      (.rateLimited("slow down", retryAfter: .seconds(61)), [.giveUp]),
      (.rateLimited("slow down", retryAfter: nil), [.giveUp]),
      (.timedOut(after: .seconds(1)), [.giveUp]),
      (.unreachable("refused"), [.giveUp]),
      (.rejectedToken("no"), [.giveUp]),
      (.cancelled, [.giveUp]),
    ] as [(ApiError.Reason, [RetryPolicy.Decision])]
  )
  func retryPolicyRetriesOnlyTemporaryFailures(
    reason: ApiError.Reason,
    decisions: [RetryPolicy.Decision]
  ) {
    var policy = RetryPolicy(isPaged: false, isConnectionReused: false)

    #expect(decisions.map { _ in policy.decision(after: reason) } == decisions)
  }

  @Test func retryPolicyDoesNotRetryAPageAfterAGatewayTimeout() {
    var policy = RetryPolicy(isPaged: true, isConnectionReused: false)

    #expect(policy.decision(after: .gatewayTimedOut(status: 502)) == .giveUp)
  }

  @Test func retryPolicyRetriesATimeoutOnAReusedConnectionOnce() {
    var policy = RetryPolicy(isPaged: true, isConnectionReused: true)

    #expect(policy.decision(after: .timedOut(after: .seconds(1))) == .retry(after: .zero))
    #expect(policy.decision(after: .timedOut(after: .seconds(1))) == .giveUp)
  }
}
