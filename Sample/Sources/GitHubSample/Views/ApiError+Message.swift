extension ApiError {
  /// A sanitized line that tells the user about the failure, the server and the remedy.
  package var message: String {
    "\(whatHappened) \(whatToDo)".sanitized
  }

  private var whatHappened: String {
    switch reason {
    case .missingToken:
      "\(place) requires a token."
    case .malformedToken(let source):
      "The token in \(source) contains an invalid character, such as a space or a line break."
    case .unusableEndpoint(let address):
      "\(place) does not contain a usable address: \(address.sanitizedClause)."
    case .insecureEndpoint:
      "GITHUB_GRAPHQL_URL would send the token to \(place) unencrypted."
    case .unreachable(let detail):
      "\(place) could not be reached: \(detail.sanitizedClause)."
    case .connectionLost(let detail):
      "The connection to \(place) was lost: \(detail.sanitizedClause)."
    case .timedOut(let duration):
      "\(place) sent no complete response within \(duration.inWords)."
    case .redirected(let target):
      "\(place) redirects to \(target.sanitizedClause), but the token is not sent there."
    case .tooLarge(let limit):
      "\(place) sent more than \(limit / 1_048_576) MB."
    case .cancelled:
      "The request to \(place) was cancelled."
    case .rejectedToken(let detail):
      "\(place) rejected the token: \(detail.sanitizedClause)."
    case .forbidden(let detail, _):
      "\(place) refused the request: \(detail.sanitizedClause)."
    case .rateLimited(let detail, _):
      "\(place) limits the rate of requests: \(detail.sanitizedClause)."
    case .gatewayTimedOut(let status):
      "\(place) took too long to respond (HTTP \(status))."
    case .tooCostly(let detail):
      "The query is too costly for \(place): \(detail.sanitizedClause)."
    case .unexpectedStatus(let status, let detail):
      "\(place) responded with HTTP \(status): \(detail.sanitizedClause)."
    case .notJSON(let status):
      "\(place) sent a response that is not JSON (HTTP \(status))."
    case .unexpectedShape:
      "\(place) sent JSON that does not match the query."
    case .refusedQuery(let detail):
      "\(place) could not answer the query: \(detail.sanitizedClause)."
    case .withheld(let omission):
      """
      \(place) withheld \(omission.count) \(omission.count == 1 ? "item" : "items") of the list: \
      \(omission.detail.sanitizedClause).
      """
    case .unknownOwner(let login):
      "\(place) has no user or organization named '\(login)'."
    case .unknownRepository(let name):
      "\(place) has no repository named '\(name)'."
    case .pagesWithoutEnd:
      "\(place) reports more pages, but gives no way to reach them."
    }
  }

  private var whatToDo: String {
    switch reason {
    case .missingToken(let variables):
      "Set \(variables.joined(separator: " or ")), or try --demo."
    case .malformedToken:
      "Copy the token again, without other text."
    case .unusableEndpoint:
      "Use a host name, or an https URL in GITHUB_GRAPHQL_URL."
    case .redirected, .notJSON, .unexpectedShape, .unexpectedStatus:
      "Check --hostname and GITHUB_GRAPHQL_URL, or try again later."
    case .insecureEndpoint:
      "Use https. Plain http is allowed for this machine only."
    case .unreachable, .connectionLost, .timedOut:
      "Check the network, --hostname and GITHUB_GRAPHQL_URL, or try again later."
    case .rejectedToken:
      "Use a valid token."
    case .forbidden(_, let singleSignOn): remedy(singleSignOn)
    case .withheld(let omission): remedy(omission.singleSignOn)
    case .rateLimited(_, let wait?):
      "Try again in \(wait.inWords)."
    case .rateLimited:
      "Try again later."
    case .gatewayTimedOut, .tooCostly, .refusedQuery, .tooLarge, .pagesWithoutEnd:
      "Try again later, or request less data."
    case .cancelled:
      "You need not do anything."
    case .unknownOwner, .unknownRepository:
      "Check the spelling, and that the token has access."
    }
  }

  private func remedy(_ singleSignOn: String?) -> String {
    guard let singleSignOn else { return "Check the permissions of the token." }
    return "Authorize the token here: \(singleSignOn.sanitizedClause)"
  }
}
