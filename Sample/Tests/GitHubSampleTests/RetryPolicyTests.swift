import GitHubSample
import Testing

struct RetryPolicyTests {
  @Test(
    arguments: [
      (.connectionLost("gone"), [.askAgain, .giveUp]),
      (.gatewayTimedOut(status: 502), [.askForLess, .askForLess, .giveUp]),
      (.timedOut(after: .seconds(1)), [.giveUp]),
      (.unreachable("refused"), [.giveUp]),
      (.rejectedToken("no"), [.giveUp]),
      (.cancelled, [.giveUp]),
    ] as [(ApiError.Reason, [RetryPolicy.Decision])]
  )
  func failures(reason: ApiError.Reason, decisions: [RetryPolicy.Decision]) {
    var policy = RetryPolicy(isConnectionReused: false)

    #expect(decisions.map { _ in policy.decision(after: reason) } == decisions)
  }

  @Test func silenceOnAReusedConnectionCountsAsALostOne() {
    var policy = RetryPolicy(isConnectionReused: true)

    #expect(policy.decision(after: .timedOut(after: .seconds(1))) == .askAgain)
    #expect(policy.decision(after: .timedOut(after: .seconds(1))) == .giveUp)
  }
}
