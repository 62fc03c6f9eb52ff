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
        ? .rateLimited(explanation, retryAfter: retryAfter)
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

  /// How long to wait before the next request, as far as the server says: what it asks for, the time
  /// to the next hour's points or, when there were many requests at once, a minute.
  var retryAfter: Duration? {
    if let seconds = header("Retry-After").flatMap(Double.init), (0..<86_400).contains(seconds) {
      return .seconds(seconds)
    }
    guard header("X-RateLimit-Remaining") == "0" else { return .seconds(60) }
    guard let reset = header("X-RateLimit-Reset").flatMap(TimeInterval.init) else { return nil }
    let seconds = (reset - Date().timeIntervalSince1970).rounded(.up) + 1
    return (0..<86_400).contains(seconds) ? .seconds(seconds) : nil
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
