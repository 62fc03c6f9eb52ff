/// A query of GitHub's GraphQL API, and the conversion of its response.
package protocol ApiRequest: Sendable {
  /// The values of the query's variables. They are never inserted into the query's text.
  associatedtype Variables: Encodable

  /// The shape of the response's `data`.
  associatedtype Payload: Decodable

  /// The value that the application receives.
  associatedtype Response: Sendable

  static var query: String { get }

  var variables: Variables { get }

  /// The key under which a response is recorded.
  var recordingKey: String { get }

  /// The reason for a failure if GitHub finds nothing.
  var reasonIfNotFound: ApiError.Reason { get }

  /// Creates the response, or throws the reason why the payload contains no response.
  func response(from payload: Payload) throws(ApiError.Reason) -> Response
}
