import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends a request, and returns a response, an error or a cancellation within a given time.
///
/// It is there because URLSession's `data(for:)` takes the token along to where it is redirected,
/// waits for ever for the answer to a challenge, and can deadlock when cancelled.
package final class HTTPTransport: Sendable {
  /// The only one of the process, because invalidating a URLSession can trap.
  package static let shared = HTTPTransport()

  private let delegate = HTTPTransportDelegate()
  private let session: URLSession
  private let deadlines = DispatchQueue(label: "HTTPTransport.deadlines")

  private init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// Sends a request, once.
  ///
  /// Whatever the network does, it returns when the time is up or the task is cancelled: the caller
  /// is resumed first, and URLSession's task is cancelled after that.
  package func send(
    _ request: URLRequest,
    limits: HTTPLimits
  ) async throws(ApiError.Reason) -> HTTPResponse {
    guard !Task.isCancelled else { throw .cancelled }
    let exchange = HTTPExchange(bodyLimit: limits.bodySize)
    var request = request
    // An idle timer in whole seconds. The deadline below is the one that counts.
    request.timeoutInterval = limits.time.timeInterval.rounded(.up) + 1
    let dataTask = session.dataTask(with: request)
    delegate.begin(exchange, for: dataTask)
    dataTask.resume()

    // On a queue of its own: a task would wait in line when the concurrency pool is busy.
    let deadline = DispatchWorkItem { exchange.finish(.failure(.timedOut(after: limits.time))) }
    deadlines.asyncAfter(deadline: .now() + limits.time.timeInterval, execute: deadline)
    let outcome = await withTaskCancellationHandler {
      await exchange.outcome()
    } onCancel: {
      exchange.finish(.failure(.cancelled))
    }
    deadline.cancel()
    delegate.end(dataTask)
    if case .failure = outcome {
      // Cancelling URLSession's task can deadlock with a cancellation handler, and can take long.
      // Here nobody waits for it.
      DispatchQueue.global().async { dataTask.cancel() }
    }
    return try outcome.get()
  }
}

extension Duration {
  fileprivate var timeInterval: TimeInterval { self / .seconds(1) }
}
