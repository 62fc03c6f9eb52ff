/// A session that sends requests through a base session, and retries failed requests as
/// ``RetryPolicy`` decides.
package final class RetryingApiSession: ApiSession {
  private let session: any ApiSession
  private let deadline: Deadline
  private let sleep: @Sendable (Duration) async throws -> Void
  private let willWait: @Sendable (_ pause: Duration, _ place: String) -> Void
  private let hasSucceeded = Protected(false)

  /// - Parameters:
  ///   - deadline: The time after which the session stops retrying, regardless of the policy.
  ///   - sleep: A closure that waits for a duration, and throws if the task is cancelled.
  ///   - willWait: A closure that is called before each wait for a rate limit, with the duration of
  ///     the wait and the server's name.
  package init(
    _ session: any ApiSession,
    deadline: Deadline,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    willWait: @escaping @Sendable (_ pause: Duration, _ place: String) -> Void = { _, _ in }
  ) {
    self.session = session
    self.deadline = deadline
    self.sleep = sleep
    self.willWait = willWait
  }

  package var place: String { session.place }

  package func send<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    var policy = RetryPolicy(
      isPaged: request is any PagedRequest,
      isConnectionReused: hasSucceeded.withLock { $0 }
    )
    while true {
      do throws(ApiError) {
        let response = try await session.send(request)
        hasSucceeded.withLock { $0 = true }
        return response
      } catch {
        guard
          case .retry(let pause) = policy.decision(after: error.reason),
          pause < deadline.remaining
        else { throw error }
        try await wait(pause, after: error)
      }
    }
  }

  private func wait(_ pause: Duration, after error: ApiError) async throws(ApiError) {
    if case .rateLimited = error.reason { willWait(pause, place) }
    do {
      try await sleep(pause)
    } catch {
      throw ApiError(.cancelled, at: place)
    }
  }
}
