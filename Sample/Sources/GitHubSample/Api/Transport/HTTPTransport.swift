import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests. Each request ends with a response, an error or a cancellation within a given
/// time.
///
/// URLSession's `data(for:)` can't replace it. That method sends the token along when it follows a
/// redirect, waits forever after an authentication challenge, and can deadlock when it is
/// cancelled.
package final class HTTPTransport: Sendable {
  /// The only transport of the process, because invalidating a URLSession can trap.
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

  /// Sends a request once.
  ///
  /// Regardless of the network, this method returns when the time is up or the task is cancelled.
  /// The caller is resumed first, and URLSession's task is cancelled after that.
  package func send(
    _ request: URLRequest,
    limits: HTTPLimits
  ) async throws(ApiError.Reason) -> HTTPResponse {
    guard !Task.isCancelled else { throw .cancelled }
    let exchange = HTTPExchange(bodyLimit: limits.bodySize)
    var request = request
    // This is an idle timer in whole seconds. The deadline below is the actual limit.
    request.timeoutInterval = limits.time.timeInterval.rounded(.up) + 1
    let dataTask = session.dataTask(with: request)
    delegate.begin(exchange, for: dataTask)
    dataTask.resume()

    // The deadline has its own queue, because a task would have to wait while the concurrency pool
    // is busy.
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
      // Cancelling URLSession's task can take long, and can deadlock with a cancellation handler.
      // The caller doesn't wait for this block.
      DispatchQueue.global().async { dataTask.cancel() }
    }
    return try outcome.get()
  }
}

extension Duration {
  fileprivate var timeInterval: TimeInterval { self / .seconds(1) }
}
