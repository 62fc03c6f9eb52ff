import FluxCapacitorTesting
import GitHubSample
import Testing

struct RetryingApiSessionTests {
  private func session(
    _ session: MockApiSession,
    deadline: Duration = .seconds(1_000),
    pauses: Pauses
  ) -> RetryingApiSession {
    RetryingApiSession(
      session,
      deadline: Deadline(after: deadline),
      sleep: { try await pauses.pause(for: $0) }
    )
  }

  @Test func sessionRetriesALostConnectionAfterGrowingPauses() async throws {
    let pauses = Pauses()
    let mock = MockApiSession(
      .failure(.connectionLost("gone")),
      .failure(.connectionLost("gone")),
      .page("a", total: 1)
    )

    let page = try await session(mock, pauses: pauses).send(RepositoriesRequest.ofMona(first: 1))

    #expect(page == .of("a", total: 1))
    #expect(pauses.durations == [.milliseconds(250), .seconds(1)])
  }

  @Test func sessionDoesNotWaitForARateLimitBeyondTheDeadline() async {
    let limit = ApiError.Reason.rateLimited("slow down", retryAfter: .seconds(30))
    let pauses = Pauses()
    let session = session(MockApiSession(.failure(limit)), deadline: .seconds(20), pauses: pauses)

    let error = await #expect(throws: ApiError.self) {
      try await session.send(RepositoriesRequest.ofMona(first: 1))
    }

    #expect(error?.reason == limit)
    #expect(pauses.durations.isEmpty)
  }

  @Test func uncountedTimeExtendsTheDeadline() {
    let reader = Protected(Duration.zero)
    let deadline = Deadline(after: .zero) { reader.withLock { $0 } }

    let before = deadline.remaining
    reader.withLock { $0 = .seconds(1_000) }

    #expect(before == .zero)
    #expect(deadline.remaining > .seconds(100))
  }

  @Test func cancellingTheTaskEndsTheWaitBeforeARetry() async {
    let clock = ManualClock()
    let session = RetryingApiSession(
      MockApiSession(.failure(.connectionLost("gone"))),
      deadline: Deadline(after: .seconds(1_000)),
      sleep: { try await clock.sleep(for: $0) }
    )

    let task = Task { try await session.send(RepositoriesRequest.ofMona(first: 1)) }
    await clock.sleeping()
    task.cancel()

    let error = await #expect(throws: ApiError.self) { try await task.value }
    #expect(error?.reason == .cancelled)
  }
}
