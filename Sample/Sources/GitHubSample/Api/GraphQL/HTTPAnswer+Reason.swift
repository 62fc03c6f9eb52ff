import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPAnswer {
  /// Why an answer whose status isn't 200 is no answer to a query.
  var reasonOfStatus: ApiError.Reason {
    switch status {
    case 401:
      .rejectedToken(explanation)
    case 300..<400:
      .redirected(to: header("Location") ?? "an unknown place")
    case 403, 429:
      isRateLimit
        ? .rateLimited(explanation)
        : .forbidden(explanation, singleSignOn: singleSignOnURL)
    case 502, 504:
      .gatewayTimedOut(status: status)
    default:
      .unexpectedStatus(status, explanation)
    }
  }

  /// Where a token is authorized for an organisation with single sign-on, if that is what it lacks.
  var singleSignOnURL: String? {
    header("X-GitHub-SSO")?
      .split(separator: ";")
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .first { $0.hasPrefix("url=") }
      .map { String($0.dropFirst("url=".count)) }
  }

  private var isRateLimit: Bool {
    status == 429
      || header("Retry-After") != nil
      || header("X-RateLimit-Remaining") == "0"
      || explanation.lowercased().contains("rate limit")
  }

  /// What the server says, where it says it the way GitHub does.
  private var explanation: String {
    struct Body: Decodable {
      let message: String
    }
    let message = try? JSONDecoder().decode(Body.self, from: body).message
    return message ?? HTTPURLResponse.localizedString(forStatusCode: status)
  }
}
