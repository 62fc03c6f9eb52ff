import GitHubSample

/// Answers with what a test has prepared, one reply a request, and notes the requests.
final class MockApiSession: ApiSession {
  typealias Reply = Result<RepositoryPage, ApiError.Reason>

  let place = "mock"

  private struct State {
    var replies: [Reply]
    var requests: [RepositoriesRequest] = []
  }

  private let state: Protected<State>

  init(_ replies: Reply...) {
    state = Protected(State(replies: replies))
  }

  /// What has been asked so far.
  var requests: [RepositoriesRequest] {
    state.withLock { $0.requests }
  }

  func send<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    let reply = state.withLock { state -> Reply? in
      if let request = request as? RepositoriesRequest { state.requests.append(request) }
      return state.replies.isEmpty ? nil : state.replies.removeFirst()
    }
    switch reply {
    case .success(let page as Request.Response)?: return page
    case .failure(let reason)?: throw ApiError(reason, at: place)
    default: throw ApiError(.refusedQuery("nothing is prepared"), at: place)
    }
  }
}
