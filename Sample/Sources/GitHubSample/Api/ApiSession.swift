/// Asks GitHub. What the actions know of the network: live, recorded, or a test's own.
package protocol ApiSession: Sendable {
  /// The name of what is asked, for messages: a host, usually.
  var place: String { get }

  /// What it may show nobody.
  var token: AccessToken? { get }

  /// Sends one request, once, and decodes what comes back.
  ///
  /// Cancelling the task ends it with ``ApiError/Reason/cancelled``.
  func send<Request: ApiRequest>(_ request: Request) async throws(ApiError) -> Request.Response
}

extension ApiSession {
  package var token: AccessToken? { nil }
}
