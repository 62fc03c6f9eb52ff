/// Decides whether to send a failed request again. Retries are safe, because requests only read
/// data.
package struct RetryPolicy {
  package enum Decision: Equatable {
    case giveUp

    /// Send the request again after a pause.
    case retry(after: Duration)
  }

  /// The longest rate limit that a request waits for.
  private static let longestWait = Duration.seconds(60)

  /// The pauses before the first and the second retry after a temporary failure.
  private static let backOff: [Duration] = [.milliseconds(250), .seconds(1)]

  private let isPaged: Bool
  private let isConnectionReused: Bool
  private var failures = 0
  private var timeouts = 0
  private var waits = 0

  /// - Parameters:
  ///   - isPaged: Whether the request is for a page of a list. A page that times out at the gateway
  ///     isn't retried, because `fetchPages` then requests a smaller page.
  ///   - isConnectionReused: Whether an earlier request might have left an open connection to the
  ///     server. If the server has closed this connection, URLSession on Linux sends the request
  ///     without its body. A request without a body receives no response.
  package init(isPaged: Bool, isConnectionReused: Bool) {
    self.isPaged = isPaged
    self.isConnectionReused = isConnectionReused
  }

  /// Returns whether to retry the request after the given failure. Call this method after each
  /// failure.
  package mutating func decision(after reason: ApiError.Reason) -> Decision {
    switch reason {
    case .connectionLost, .unexpectedStatus(500, _), .unexpectedStatus(503, _):
      return decisionAfterFailure()
    case .gatewayTimedOut where !isPaged:
      return decisionAfterFailure()
    case .timedOut where isConnectionReused && timeouts == 0:
      timeouts += 1
      return .retry(after: .zero)
    case .rateLimited(_, let wait?) where wait <= RetryPolicy.longestWait && waits < 2:
      waits += 1
      return .retry(after: wait)
    default:
      return .giveUp
    }
  }

  private mutating func decisionAfterFailure() -> Decision {
    guard failures < RetryPolicy.backOff.count else { return .giveUp }
    defer { failures += 1 }
    return .retry(after: RetryPolicy.backOff[failures])
  }
}
