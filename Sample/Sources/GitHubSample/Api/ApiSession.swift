/// Sends requests to GitHub: all that actions know of the network. It is live, recorded, or a mock.
package protocol ApiSession: Sendable {
  /// The name of the server, for messages: usually its host.
  var place: String { get }

  /// The token that it sends, which must not be shown.
  var token: AccessToken? { get }

  /// Sends a request, and decodes the response.
  ///
  /// If the task is cancelled, it throws ``ApiError/Reason/cancelled``.
  func send<Request: ApiRequest>(_ request: Request) async throws(ApiError) -> Request.Response
}

extension ApiSession {
  package var token: AccessToken? { nil }
}
