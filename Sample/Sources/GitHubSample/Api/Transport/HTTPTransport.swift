import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends HTTP requests. Each request ends with a response, an error or a
/// cancellation within a given time.
///
/// URLSession's `data(for:)` can't replace this type. On redirects, `data(for:)` sends the token to
/// the new server. After an authentication challenge, `data(for:)` waits forever. Cancelling
/// `data(for:)` can deadlock.
package final class HTTPTransport: Sendable {
  /// The only transport of the process. A temporary transport would have to invalidate its
  /// URLSession, which can trap.
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

  /// Sends a request without retrying.
  ///
  /// This method returns at the time limit or when the task is cancelled, even if the network
  /// doesn't respond. The method resumes its caller before it cancels URLSession's task.
  ///
  /// - Parameter transform: A closure that changes the response. The time limit includes the time of this closure.
  package func send(
    _ request: URLRequest,
    limits: HTTPLimits,
    transform: @escaping @Sendable (HTTPResponse) -> HTTPResponse
  ) async throws(ApiError.Reason) -> HTTPResponse {
    guard !Task.isCancelled else { throw .cancelled }
    let exchange = HTTPExchange(bodyLimit: limits.bodySize, transform: transform)
    var request = request
    // `timeoutInterval` limits only the idle time, in whole seconds. The deadline limits the total
    // time.
    request.timeoutInterval = limits.time.timeInterval.rounded(.up) + 1
    let dataTask = session.dataTask(with: request)
    delegate.begin(exchange, for: dataTask)
    dataTask.resume()

    // The deadline has its own queue, because a task would be delayed while Swift's thread pool is
    // busy.
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
      // Cancelling URLSession's task can be slow, and can deadlock in a cancellation handler, so
      // the caller doesn't wait.
      DispatchQueue.global().async { dataTask.cancel() }
    }
    return try outcome.get()
  }
}

extension Duration {
  fileprivate var timeInterval: TimeInterval { self / .seconds(1) }
}
