/// Requests the user who owns the token.
package struct ViewerRequest: ApiRequest, Equatable {
  package struct Variables: Encodable, Equatable {}

  package struct Payload: Decodable {
    let viewer: GitHub.User
  }

  package static let query = "query Viewer { viewer { login name } }"

  package init() {}

  package var variables: Variables { Variables() }

  package var recordingKey: String { "viewer" }

  package var reasonIfNotFound: ApiError.Reason { .unexpectedShape }

  package func response(from payload: Payload) throws(ApiError.Reason) -> GitHub.User {
    payload.viewer
  }
}
