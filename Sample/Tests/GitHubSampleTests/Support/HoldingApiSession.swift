import GitHubSample

/// Answers as a closure says, which may hold a request; cancelled or not, it waits for its answer.
struct HoldingApiSession: ApiSession {
  let place = "mock"

  /// Makes the response, which must be of the request's type; nil if the request was cancelled.
  let answer: @Sendable (any ApiRequest) async -> (any Sendable)?

  func send<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    guard let response = await answer(request) as? Request.Response else {
      throw ApiError(.cancelled, at: place)
    }
    return response
  }
}

/// Holds whoever comes, cancelled or not, until it is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var held: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Protected(State())

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.held.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let held = state.withLock { state in
      state.isOpen = true
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }
}
