/// A question in GitHub's GraphQL API, and how to read the answer.
package protocol ApiRequest: Sendable {
  /// What the query is asked with. Nothing is ever put into the query's text.
  associatedtype Variables: Encodable

  /// The shape of the answer's `data`.
  associatedtype Payload: Decodable

  /// What the application makes of it.
  associatedtype Response: Sendable

  static var query: String { get }

  var variables: Variables { get }

  /// What the answer to this request is filed under among recorded ones.
  var recordingKey: String { get }

  /// What it means that there is no such thing as is asked for.
  var reasonIfNotFound: ApiError.Reason { get }

  /// Makes the response, or says in which way the payload has none.
  func response(from payload: Payload) throws(ApiError.Reason) -> Response
}
