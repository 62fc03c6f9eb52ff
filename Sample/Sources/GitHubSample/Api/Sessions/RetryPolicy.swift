/// Decides whether a request that failed is sent again: all of them only read, so that it may be.
package struct RetryPolicy {
  package enum Decision: Equatable {
    case giveUp

    /// Ask again, after a while.
    case retry(after: Duration)
  }

  /// The longest time that a rate limit is waited out.
  private static let patience = Duration.seconds(60)

  /// The waits before the first and the second retry after a failure that may be a passing one.
  private static let backOff: [Duration] = [.milliseconds(250), .seconds(1)]

  private let isPaged: Bool
  private let isConnectionReused: Bool
  private var failures = 0
  private var timeouts = 0
  private var waits = 0

  /// - Parameters:
  ///   - isPaged: Whether it is a page of a list. Its size, and not only the time, is at fault if the
  ///     gateway gives up; so whoever asks for the pages sees to that.
  ///   - isConnectionReused: Whether an earlier request went to the same server. If that has closed
  ///     the connection meanwhile, URLSession on Linux sends the request without its body, and no
  ///     answer ever comes.
  package init(isPaged: Bool, isConnectionReused: Bool) {
    self.isPaged = isPaged
    self.isConnectionReused = isConnectionReused
  }

  /// What to do about one more failure of the same request.
  package mutating func decision(after reason: ApiError.Reason) -> Decision {
    switch reason {
    case .connectionLost, .unexpectedStatus(500, _), .unexpectedStatus(503, _):
      return decisionAfterFailure()
    case .gatewayTimedOut where !isPaged:
      return decisionAfterFailure()
    case .timedOut where isConnectionReused && timeouts == 0:
      timeouts += 1
      return .retry(after: .zero)
    case .rateLimited(_, let wait?) where wait <= RetryPolicy.patience && waits < 2:
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
