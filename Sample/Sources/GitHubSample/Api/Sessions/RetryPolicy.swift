/// Decides whether a failed request is sent again; it may be, for no request changes anything.
package struct RetryPolicy {
  package enum Decision: Equatable {
    case giveUp

    /// Send it again, after a pause.
    case retry(after: Duration)
  }

  /// The longest rate limit that is waited out.
  private static let longestWait = Duration.seconds(60)

  /// The pauses before the first and the second retry of what failed and may succeed the next time.
  private static let backOff: [Duration] = [.milliseconds(250), .seconds(1)]

  private let isPaged: Bool
  private let isConnectionReused: Bool
  private var failures = 0
  private var timeouts = 0
  private var waits = 0

  /// - Parameters:
  ///   - isPaged: Whether it is a page of a list. If the gateway gives up, the page may be too
  ///     large, and what fetches the pages deals with that.
  ///   - isConnectionReused: Whether an earlier request went to the same server. If that has closed
  ///     the connection meanwhile, URLSession on Linux sends the request without its body, and no
  ///     response ever comes.
  package init(isPaged: Bool, isConnectionReused: Bool) {
    self.isPaged = isPaged
    self.isConnectionReused = isConnectionReused
  }

  /// What to do after one more failure of the same request.
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
