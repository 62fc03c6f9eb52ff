import FluxCapacitorTesting
import GitHubSample

/// Returns the replies that a test has prepared, one for each request, and records the requests.
final class MockApiSession: ApiSession {
  enum Reply: Sendable {
    /// A response to the next request, which must be of the request's type.
    case success(any Sendable)
    case failure(ApiError.Reason)

    /// Another reply, once the gate is open. With `heedsCancellation`, a request that has been
    /// cancelled by then throws.
    indirect case held(Gate, heedsCancellation: Bool = false, then: Reply)
  }

  let place = "mock"
  let token: AccessToken?

  private struct State {
    var replies: ArraySlice<Reply>
    var requests: [any ApiRequest] = []
  }

  private let state: Protected<State>

  init(_ replies: Reply..., token: String = "") {
    state = Protected(State(replies: replies[...]))
    self.token = AccessToken(token)
  }

  /// The requests for pages of repositories so far.
  var requests: [RepositoriesRequest] { requests() }

  /// Returns the requests of one type so far.
  func requests<Request: ApiRequest>(_: Request.Type = Request.self) -> [Request] {
    state.withLock { $0.requests }.compactMap { $0 as? Request }
  }

  func send<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    var reply = state.withLock { state in
      state.requests.append(request)
      return state.replies.popFirst()
    }
    while case .held(let gate, let heedsCancellation, let next)? = reply {
      await gate.pass()
      if heedsCancellation, Task.isCancelled { throw ApiError(.cancelled, at: place) }
      reply = next
    }
    switch reply {
    case .success(let response as Request.Response)?: return response
    case .failure(let reason)?: throw ApiError(reason, at: place)
    default: throw ApiError(.refusedQuery("nothing is prepared"), at: place)
    }
  }
}

extension MockApiSession.Reply {
  /// A page of repositories in which only the names matter.
  static func page(_ names: String..., total: Int, next: String? = nil) -> Self {
    .success(Page.of(names, total: total, next: next))
  }

  /// A page of users in which only the logins matter.
  static func users(_ logins: String..., total: Int, next: String? = nil) -> Self {
    .success(
      Page(
        items: logins.map { GitHub.User(login: $0) },
        totalCount: total,
        hasNextPage: next != nil,
        endCursor: next
      )
    )
  }
}
