import Foundation

/// One request and its outcome. Only the first outcome counts.
final class HTTPExchange: Sendable {
  typealias Outcome = Result<HTTPResponse, ApiError.Reason>

  private struct State {
    var body = Data()
    var outcome: Outcome?
    var waiter: CheckedContinuation<Outcome, Never>?
  }

  private let state = Protected(State())
  private let bodyLimit: Int

  init(bodyLimit: Int) {
    self.bodyLimit = bodyLimit
  }

  /// The part of the body that has been received so far.
  var body: Data {
    state.withLock { $0.body }
  }

  /// Waits for the outcome. Call this method once.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state -> Outcome? in
        if state.outcome == nil { state.waiter = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }

  /// Appends a part of the body.
  ///
  /// - Returns: False if the exchange has ended, for example because the body is too large.
  func receive(_ data: Data) -> Bool {
    let fits = state.withLock { state in
      guard state.outcome == nil, data.count <= bodyLimit - state.body.count else { return false }
      state.body += data
      return true
    }
    if !fits { finish(.failure(.tooLarge(limit: bodyLimit))) }
    return fits
  }

  /// Ends the exchange, unless it has already ended.
  func finish(_ outcome: Outcome) {
    let waiter = state.withLock { state in
      guard state.outcome == nil else { return nil as CheckedContinuation<Outcome, Never>? }
      state.outcome = outcome
      state.body = Data()
      return state.waiter.take()
    }
    waiter?.resume(returning: outcome)
  }
}
