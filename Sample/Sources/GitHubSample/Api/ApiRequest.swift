/// A query of GitHub's GraphQL API, and how to read the response.
package protocol ApiRequest: Sendable {
  /// The values that the query takes. Nothing is ever inserted into the query's text.
  associatedtype Variables: Encodable

  /// The shape of the response's `data`.
  associatedtype Payload: Decodable

  /// What the application gets.
  associatedtype Response: Sendable

  static var query: String { get }

  var variables: Variables { get }

  /// The key of the response among recorded ones.
  var recordingKey: String { get }

  /// What it means that GitHub finds nothing.
  var reasonIfNotFound: ApiError.Reason { get }

  /// Makes the response, or throws the reason why the payload holds none.
  func response(from payload: Payload) throws(ApiError.Reason) -> Response
}
