import GitHubSample

/// Answers with what a test has prepared, one reply a request, and notes the requests.
final class MockApiSession: ApiSession {
  enum Reply: Sendable {
    /// The response of whatever request comes, which must be of its type.
    case success(any Sendable)
    case failure(ApiError.Reason)
  }

  let place = "mock"
  let token: AccessToken?

  private struct State {
    var replies: [Reply]
    var requests: [any ApiRequest] = []
  }

  private let state: Protected<State>

  init(_ replies: Reply..., token: String = "") {
    state = Protected(State(replies: replies))
    self.token = AccessToken(token)
  }

  /// The pages of repositories that were asked for so far.
  var requests: [RepositoriesRequest] { requests() }

  /// The requests of one type that came so far.
  func requests<Request: ApiRequest>(_: Request.Type = Request.self) -> [Request] {
    state.withLock { $0.requests }.compactMap { $0 as? Request }
  }

  func send<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    let reply = state.withLock { state -> Reply? in
      state.requests.append(request)
      return state.replies.isEmpty ? nil : state.replies.removeFirst()
    }
    switch reply {
    case .success(let response as Request.Response)?: return response
    case .failure(let reason)?: throw ApiError(reason, at: place)
    default: throw ApiError(.refusedQuery("nothing is prepared"), at: place)
    }
  }
}

extension MockApiSession.Reply {
  /// A page of repositories of which only the names matter.
  static func page(_ names: String..., total: Int, next: String? = nil) -> Self {
    .success(Page.of(names, total: total, next: next))
  }
}
