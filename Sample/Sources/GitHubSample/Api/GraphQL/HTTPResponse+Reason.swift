import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPResponse {
  /// The error that a status other than 200 stands for.
  var reasonOfStatus: ApiError.Reason {
    switch status {
    case 401:
      .rejectedToken(explanation)
    case 300..<400:
      header("Location").map { .redirected(to: $0) }
        ?? .unexpectedStatus(status, explanation)
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

  /// The URL at which a user authorizes the token for an organization with single sign-on, if the
  /// response contains such a URL.
  var singleSignOnURL: String? {
    header("X-GitHub-SSO")?
      .split(separator: ";")
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .first { $0.hasPrefix("url=") }
      .map { String($0.dropFirst("url=".count)) }
      .flatMap { $0.hasPrefix("https://") ? $0 : nil }
  }

  /// The time to wait before the next request, which is at least a second.
  ///
  /// The `Retry-After` header takes precedence over the time at which the rate limit is reset. If
  /// the response contains neither time, the wait is a minute. Points in time count by the clock of the server.
  var retryAfter: Duration {
    let seconds =
      header("Retry-After").flatMap(seconds(until:))
      ?? (header("X-RateLimit-Remaining") == "0" ? secondsUntilReset : nil)
      ?? 60
    return .seconds(max(1, seconds))
  }

  private var secondsUntilReset: Int? {
    guard let reset = header("X-RateLimit-Reset").flatMap({ Int($0) }) else { return nil }
    return min(max(0, reset), 1 << 40) - Int(now.timeIntervalSince1970) + 1
  }

  /// The time at which the server has responded, or this computer's time if the response doesn't contain it.
  private var now: Date { header("Date").flatMap(HTTPResponse.date(in:)) ?? Date() }

  /// The three formats of dates in HTTP headers. Two of them are obsolete, but a client must accept them.
  private static let dateFormats = [
    "EEE, dd MMM yyyy HH:mm:ss zzz", "EEEE, dd-MMM-yy HH:mm:ss zzz", "EEE MMM d HH:mm:ss yyyy",
  ]

  /// Returns the seconds until the time in an HTTP header, which is a number of seconds or a date.
  private func seconds(until text: String) -> Int? {
    if let seconds = Int(text) { return seconds >= 0 ? min(seconds, 1 << 40) : nil }
    return HTTPResponse.date(in: text).map { Int($0.timeIntervalSince(now).rounded(.up)) }
  }

  private static func date(in text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    for format in dateFormats {
      formatter.dateFormat = format
      if let date = formatter.date(from: text) { return date }
    }
    return nil
  }

  static func mentionsRateLimit(_ text: String) -> Bool {
    text.lowercased().contains("rate limit")
  }

  private var isRateLimit: Bool {
    status == 429
      || header("Retry-After") != nil
      || header("X-RateLimit-Remaining") == "0"
      || HTTPResponse.mentionsRateLimit(explanation)
  }

  /// The message in the response's body, or the standard text for the status if the body contains
  /// no message.
  var explanation: String {
    struct Body: Decodable {
      let message: String
    }
    let message = try? JSONDecoder().decode(Body.self, from: body).message
    return message ?? HTTPURLResponse.localizedString(forStatusCode: status)
  }
}
