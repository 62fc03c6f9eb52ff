/// The reason why a request failed, and the server's name. It is a value, so a store can hold it.
package struct ApiError: Error, Equatable {
  package enum Reason: Error, Equatable {
    // Before the request is sent.
    case missingToken(variables: [String])
    case malformedToken(source: String)
    case unusableEndpoint(String)
    case insecureEndpoint

    // During the request.
    case unreachable(String)
    case connectionLost(String)
    case timedOut(after: Duration)
    case redirected(to: String)
    case tooLarge(limit: Int)
    case cancelled

    // In the response.
    case rejectedToken(String)
    case forbidden(String, singleSignOn: String?)
    case rateLimited(String, retryAfter: Duration?)
    case gatewayTimedOut(status: Int)
    case tooCostly(String)
    case unexpectedStatus(Int, String)
    case notJSON(status: Int)
    case unexpectedShape
    case refusedQuery(String)
    case unknownOwner(login: String)
    case unknownRepository(String)
    case pagesWithoutEnd
  }

  package let reason: Reason

  /// The name of the server, as in ``ApiSession/place``.
  package let place: String

  package init(_ reason: Reason, at place: String) {
    self.reason = reason
    self.place = place
  }
}
