import Dispatch

/// A request, and the answer that the server would give to it.
public protocol Request: Sendable {
  /// What a request of this type is answered with.
  associatedtype ResponseType: Sendable

  /// The server's answer.
  func response() throws -> ResponseType
}

/// One page of what was asked for.
public struct Response<Node: Sendable>: Sendable {
  /// What is on the page.
  public let nodes: [Node]

  /// How many there are on all pages.
  public let totalCount: Int

  /// A page.
  public init(nodes: [Node], totalCount: Int) {
    self.nodes = nodes
    self.totalCount = totalCount
  }
}

/// A request that is under way.
public struct SessionTask: Sendable {}

/// Stands in for a networking library: it answers on a thread of its own.
public final class ApiSession: Sendable {
  /// The session of the process.
  public static let shared = ApiSession()

  private let queue = DispatchQueue(label: "ApiSession")

  /// A session.
  public init() {}

  /// Sends a request; the completion handler is called on the session's thread.
  public func send<R: Request>(
    _ request: R,
    completion: @escaping @Sendable (Result<R.ResponseType, any Error>) -> Void
  ) -> SessionTask {
    queue.async { completion(Result { try request.response() }) }
    return SessionTask()
  }

  /// Returns when every request so far has been answered.
  public func finishPending() async {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume() }
    }
  }
}
