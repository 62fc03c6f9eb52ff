import Foundation

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

/// Stands in for a networking library: it answers one request after another, each in a task.
public final class ApiSession: @unchecked Sendable {
  /// The session of the process.
  public static let shared = ApiSession()

  // `latest` is guarded by `lock`.
  private let lock = NSLock()
  private var latest: Task<Void, Never>?

  /// A session.
  public init() {}

  /// Sends a request; the completion handler is called in a task that has the sender's locals.
  public func send<R: Request>(
    _ request: R,
    completion: @escaping @Sendable (Result<R.ResponseType, any Error>) -> Void
  ) -> SessionTask {
    lock.withLock {
      latest = Task { [latest] in
        await latest?.value
        completion(Result { try request.response() })
      }
    }
    return SessionTask()
  }

  /// Returns when every request so far has been answered.
  public func finishPending() async {
    await lock.withLock { latest }?.value
  }
}
