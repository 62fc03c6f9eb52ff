/// Sends requests to GitHub: the only part of the network that actions know.
///
/// A session is live, recorded, or a mock.
package protocol ApiSession: Sendable {
  /// The name of the server in messages, usually its host.
  var place: String { get }

  /// The token that the session sends. It must not be shown.
  var token: AccessToken? { get }

  /// Sends a request and returns the decoded response.
  ///
  /// If the task is cancelled, a session that uses the network throws
  /// ``ApiError/Reason/cancelled``.
  func send<Request: ApiRequest>(_ request: Request) async throws(ApiError) -> Request.Response
}

extension ApiSession {
  package var token: AccessToken? { nil }
}
