import FluxCapacitorTesting
import GitHubSample

/// A session that records requests, and returns one of the test's prepared replies for each
/// request.
final class MockApiSession: ApiSession {
  enum Reply: Sendable {
    /// A response to a request. The response must have the type that the request expects.
    case success(any Sendable)
    case failure(ApiError.Reason)

    /// A reply that waits until a gate is open. If `heedsCancellation` is true and the task has
    /// been cancelled before the gate opens, the request throws.
    indirect case held(Gate, heedsCancellation: Bool = false, then: Reply)
  }

  let place = "mock"

  private struct State {
    var replies: ArraySlice<Reply>
    var requests: [any ApiRequest] = []
  }

  private let state: Protected<State>

  init(_ replies: [Reply]) { state = Protected(State(replies: replies[...])) }

  convenience init(_ replies: Reply...) { self.init(replies) }

  /// The requests for pages of repositories that the session has received.
  var requests: [RepositoriesRequest] { requests() }

  /// Returns the requests of one type that the session has received.
  func requests<Request: ApiRequest>(_: Request.Type = Request.self) -> [Request] {
    state.withLock { $0.requests }.compactMap { $0 as? Request }
  }

  func send<Request: ApiRequest>(_ request: Request) async throws(ApiError) -> Request.Response {
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
  /// Returns a reply with a page of repositories with the given names.
  static func page(_ names: String..., total: Int, next: String? = nil) -> Self {
    .success(Page.of(names, total: total, next: next))
  }

  /// Returns a reply with a page of users with the given logins.
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
