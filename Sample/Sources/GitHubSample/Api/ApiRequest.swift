/// A query of GitHub's GraphQL API, and the conversion of its response.
package protocol ApiRequest: Sendable {
  /// The type of the query's variables, which the request sends apart from the query's text.
  associatedtype Variables: Encodable

  /// The type that decodes the `data` field of GitHub's response.
  associatedtype Payload: Decodable

  /// The type of the value that the application receives.
  associatedtype Response: Sendable

  static var query: String { get }

  var variables: Variables { get }

  /// The key of the recorded response to this request.
  var recordingKey: String { get }

  /// The error to report if GitHub finds no matching object.
  var reasonIfNotFound: ApiError.Reason { get }

  /// Creates the response from the payload. This method throws if the payload contains no response.
  func response(from payload: Payload) throws(ApiError.Reason) -> Response

  /// Creates the response from a payload in which some items of a list are null because of errors, or returns
  /// nil if the response would be useless.
  ///
  /// - Parameter error: The reason why the first item is missing.
  func response(from payload: Payload, lacking count: Int, because error: ApiError.Reason)
    -> Response?
}

extension ApiRequest {
  package func response(from _: Payload, lacking _: Int, because _: ApiError.Reason) -> Response? {
    nil
  }
}
