extension ApiError {
  /// One sanitized line for the user: what happened, where, and what to do about it.
  package var message: String {
    "\(whatHappened) \(whatToDo)".sanitized
  }

  private var whatHappened: String {
    switch reason {
    case .missingToken:
      "\(place) answers nobody without a token."
    case .malformedToken(let source):
      "The token from \(source) holds a character that no token has, such as a space or a line break."
    case .unusableEndpoint(let address):
      "\(place) does not lead to a server that can be asked: \(address.sanitizedClause)."
    case .insecureEndpoint:
      "GITHUB_GRAPHQL_URL would send the token to \(place) unencrypted."
    case .unreachable(let detail):
      "\(place) could not be reached: \(detail.sanitizedClause)."
    case .connectionLost(let detail):
      "The connection to \(place) broke off: \(detail.sanitizedClause)."
    case .timedOut(let duration):
      "\(place) gave no complete answer within \(duration.inWords)."
    case .redirected(let target):
      "\(place) redirects to \(target.sanitizedClause), where the token is not sent."
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
      "\(place) took too long to answer (HTTP \(status))."
    case .tooCostly(let detail):
      "\(place) spends no more on the query: \(detail.sanitizedClause)."
    case .unexpectedStatus(let status, let detail):
      "\(place) answered with HTTP \(status): \(detail.sanitizedClause)."
    case .notJSON(let status):
      "\(place) sent something that is not JSON (HTTP \(status))."
    case .unexpectedShape:
      "\(place) sent JSON that is not the answer to the query."
    case .refusedQuery(let detail):
      "\(place) could not answer the query: \(detail.sanitizedClause)."
    case .unknownOwner(let login):
      "\(place) knows no user or organization named '\(login)'."
    case .unknownRepository(let name):
      "\(place) knows no repository named '\(name)'."
    case .pagesWithoutEnd:
      "\(place) says that there are more pages, and gives no way to reach them."
    }
  }

  private var whatToDo: String {
    switch reason {
    case .missingToken(let variables):
      "Set \(variables.joined(separator: " or ")), or try --demo."
    case .malformedToken:
      "Copy it again, alone."
    case .unusableEndpoint:
      "Give it the name of a host, or GITHUB_GRAPHQL_URL an https URL."
    case .redirected, .notJSON, .unexpectedShape, .unexpectedStatus:
      "Check --hostname and GITHUB_GRAPHQL_URL, or try again later."
    case .insecureEndpoint:
      "Use https; http is for this machine only."
    case .unreachable, .connectionLost, .timedOut:
      "Check the network, --hostname and GITHUB_GRAPHQL_URL, or try again later."
    case .rejectedToken:
      "Give it a valid one."
    case .forbidden(_, let singleSignOn?):
      "Authorize the token here: \(singleSignOn.sanitizedClause)"
    case .forbidden:
      "Check what the token may do."
    case .rateLimited(_, let wait?):
      "Try again in \(wait.inWords)."
    case .rateLimited:
      "Try again later."
    case .gatewayTimedOut, .tooCostly, .refusedQuery, .tooLarge, .pagesWithoutEnd:
      "Try again later, or ask for less."
    case .cancelled:
      "Nothing needs to be done."
    case .unknownOwner, .unknownRepository:
      "Check the spelling, and that the token may see it."
    }
  }
}
