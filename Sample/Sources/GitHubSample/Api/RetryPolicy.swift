/// Decides whether a request that failed is sent again: it only reads, so that it may be.
package struct RetryPolicy {
  package enum Decision: Equatable {
    case giveUp
    case askAgain
    case askForLess
  }

  private let isConnectionReused: Bool
  private var retriesOfLostConnection = 1
  private var retriesOfTimedOutQuery = 2

  /// - Parameter isConnectionReused: Whether an earlier request went to the same server. If that has
  ///   closed the connection meanwhile, URLSession on Linux sends the request without its body, and
  ///   no answer ever comes.
  package init(isConnectionReused: Bool) {
    self.isConnectionReused = isConnectionReused
  }

  /// What to do about one more failure of the same request.
  package mutating func decision(after reason: ApiError.Reason) -> Decision {
    switch reason {
    case .connectionLost where retriesOfLostConnection > 0,
      .timedOut where isConnectionReused && retriesOfLostConnection > 0:
      retriesOfLostConnection -= 1
      return .askAgain
    case .gatewayTimedOut where retriesOfTimedOutQuery > 0:
      retriesOfTimedOutQuery -= 1
      return .askForLess
    default:
      return .giveUp
    }
  }
}
