/// Asks another session, and asks again when that is worth a try; see ``RetryPolicy``.
package final class PatientApiSession: ApiSession {
  private let session: any ApiSession
  private let deadline: Deadline
  private let connection: ConnectionAction
  private let sleep: @Sendable (Duration) async throws -> Void
  private let hasAnswered = Protected(false)

  /// - Parameters:
  ///   - deadline: When to give up, whatever the policy says.
  ///   - connection: Whom to tell that a rate limit is waited out.
  ///   - sleep: Waits, or throws if the task is cancelled.
  package init(
    _ session: any ApiSession,
    deadline: Deadline,
    connection: ConnectionAction,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.session = session
    self.deadline = deadline
    self.connection = connection
    self.sleep = sleep
  }

  package var place: String { session.place }

  package var token: AccessToken? { session.token }

  package func send<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    var policy = RetryPolicy(
      isPaged: request is any PagedRequest,
      isConnectionReused: hasAnswered.withLock { $0 }
    )
    while true {
      do throws(ApiError) {
        let response = try await session.send(request)
        hasAnswered.withLock { $0 = true }
        return response
      } catch {
        guard
          case .askAgain(let pause) = policy.decision(after: error.reason),
          pause < deadline.remaining
        else { throw error }
        try await wait(pause, after: error)
      }
    }
  }

  private func wait(_ pause: Duration, after error: ApiError) async throws(ApiError) {
    if case .rateLimited = error.reason { connection.beginWaiting(pause, for: place) }
    do {
      try await sleep(pause)
    } catch {
      throw ApiError(.cancelled, at: place)
    }
  }
}
