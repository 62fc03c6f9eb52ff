/// The reason why a request failed, and the server's name.
package struct ApiError: Error, Equatable {
  package enum Reason: Error, Equatable {
    // Errors before the request is sent.
    case missingToken(variables: [String])
    case malformedToken(source: String)
    case unusableEndpoint(String)
    case insecureEndpoint

    // Errors during the request.
    case unreachable(String)
    case connectionLost(String)
    case timedOut(after: Duration)
    case redirected(to: String)
    case tooLarge(limit: Int)
    case cancelled

    // Errors in the response.
    case rejectedToken(String)
    case forbidden(String, singleSignOn: String?)
    case rateLimited(String, retryAfter: Duration?)
    case gatewayTimedOut(status: Int)
    case tooCostly(String)
    case unexpectedStatus(Int, String)
    case notJSON(status: Int)
    case unexpectedShape
    case refusedQuery(String)
    case withheld(Omission)
    case unknownOwner(login: String)
    case unknownRepository(String)
    case pagesWithoutEnd
  }

  package let reason: Reason

  /// The name of the server. See ``ApiSession/place``.
  package let place: String

  package init(_ reason: Reason, at place: String) {
    self.reason = reason
    self.place = place
  }
}
