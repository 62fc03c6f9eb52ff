import Foundation

/// An HTTP request and its outcome. If several outcomes are reported, only the first outcome
/// counts.
final class HTTPExchange: Sendable {
  typealias Outcome = Result<HTTPResponse, ApiError.Reason>

  private struct State {
    var body = Data()
    var outcome: Outcome?
    var waiter: CheckedContinuation<Outcome, Never>?
  }

  private let state = Protected(State())
  private let bodyLimit: Int
  private let transform: @Sendable (HTTPResponse) -> HTTPResponse

  init(bodyLimit: Int, transform: @escaping @Sendable (HTTPResponse) -> HTTPResponse) {
    self.bodyLimit = bodyLimit
    self.transform = transform
  }

  /// Waits for the outcome of the request. Call this method only once.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state -> Outcome? in
        if state.outcome == nil { state.waiter = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }

  /// Appends data to the response's body.
  ///
  /// - Returns: Whether the exchange continues. A body that is too large ends the exchange, for
  ///   example.
  func receive(_ data: Data) -> Bool {
    let fits = state.withLock { state in
      guard state.outcome == nil, data.count <= bodyLimit - state.body.count else { return false }
      state.body += data
      return true
    }
    if !fits { finish(.failure(.tooLarge(limit: bodyLimit))) }
    return fits
  }

  /// Ends the exchange with the received body and the transformed response. Other exchanges don't wait for the
  /// transformation.
  func finish(status: Int, headers: [AnyHashable: Any]) {
    let body = state.withLock { $0.body }
    let response = HTTPResponse(status: status, headers: headers, body: body)
    DispatchQueue.global().async { [self] in finish(.success(transform(response))) }
  }

  /// Ends the exchange with an outcome. If the exchange has already ended, this method has no
  /// effect.
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
