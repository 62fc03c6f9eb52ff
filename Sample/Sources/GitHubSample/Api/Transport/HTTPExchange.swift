import Foundation

/// One request and what becomes of it: the first outcome counts, and ends the waiting.
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

  /// The body that has come so far.
  var body: Data {
    state.withLock { $0.body }
  }

  /// Waits for the outcome. To be called once.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state -> Outcome? in
        if state.outcome == nil { state.waiter = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }

  /// Takes a part of the body.
  ///
  /// - Returns: Whether that was still wanted.
  func receive(_ data: Data) -> Bool {
    let fits = state.withLock { state in
      guard state.outcome == nil, data.count <= bodyLimit - state.body.count else { return false }
      state.body += data
      return true
    }
    if !fits { finish(.failure(.tooLarge(limit: bodyLimit))) }
    return fits
  }

  /// Ends the exchange, if nothing else has.
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
