/// A session that sends requests to GitHub on behalf of actions.
///
/// A session can be live, recorded, or a mock.
package protocol ApiSession: Sendable {
  /// The name of the server in messages, which is usually the server's host.
  var place: String { get }

  /// Sends a request and returns the decoded response.
  ///
  /// If the task is cancelled, a live session throws ``ApiError/Reason/cancelled``.
  func send<Request: ApiRequest>(_ request: Request) async throws(ApiError) -> Request.Response
}
