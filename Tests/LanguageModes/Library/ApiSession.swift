import Foundation

/// A request to a server, with the type of the server's response.
public protocol Request: Sendable {
  /// The type of the response to a request of this type.
  associatedtype ResponseType: Sendable

  /// Returns the server's response.
  func response() throws -> ResponseType
}

/// One page of the requested nodes.
public struct Response<Node: Sendable>: Sendable {
  /// The nodes on the page.
  public let nodes: [Node]

  /// The number of nodes on all pages.
  public let totalCount: Int

  /// Creates a page.
  public init(nodes: [Node], totalCount: Int) {
    self.nodes = nodes
    self.totalCount = totalCount
  }
}

/// A request that is in progress.
public struct SessionTask: Sendable {}

/// A substitute for the session of a networking library, which responds to one request at a time.
public final class ApiSession: @unchecked Sendable {
  /// The session that all callers in the process share.
  public static let shared = ApiSession()

  // `latest` is guarded by `lock`.
  private let lock = NSLock()
  private var latest: Task<Void, Never>?

  /// Creates a session.
  public init() {}

  /// Sends a request. A task with the sender's task-local values calls the completion handler.
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

  /// Waits until the session has responded to every earlier request.
  public func finishPending() async {
    await lock.withLock { latest }?.value
  }
}
