import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Forwards URLSession's callbacks to the exchange of each task. The callbacks run on URLSession's
/// queue.
///
/// The session has a delegate because, on Linux, URLSession doesn't ask the delegate of a single
/// task about redirects and challenges.
final class HTTPTransportDelegate: NSObject, Sendable {
  private let exchanges = Protected<[Int: HTTPExchange]>([:])

  func begin(_ exchange: HTTPExchange, for task: URLSessionTask) {
    exchanges.withLock { $0[task.taskIdentifier] = exchange }
  }

  func end(_ task: URLSessionTask) {
    _ = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
  }

  private func exchange(of task: URLSessionTask) -> HTTPExchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }

  private func reason(of error: any Error) -> ApiError.Reason {
    switch (error as? URLError)?.code {
    case .cannotConnectToHost?, .cannotFindHost?, .dnsLookupFailed?, .notConnectedToInternet?:
      .unreachable(error.localizedDescription)
    default:
      // On Linux, TLS failures, truncated bodies and bad compression have the same error code, and
      // differ only in the error text.
      error.localizedDescription.contains(/SSL|TLS|certificate/)
        ? .unreachable(error.localizedDescription)
        : .connectionLost(error.localizedDescription)
    }
  }
}

extension HTTPTransportDelegate: URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    // The transport returns the redirect as the response, because following a redirect would send
    // the token to another server.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(Darwin)
      // On non-Apple systems, libcurl checks the certificates without this callback.
      if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
        return completionHandler(.performDefaultHandling, nil)
      }
    #endif
    // The command has no credentials except the token. On Linux, the default handling of a
    // challenge never ends.
    completionHandler(.rejectProtectionSpace, nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard exchange(of: dataTask)?.receive(data) == false else { return }
    DispatchQueue.global().async { dataTask.cancel() }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    guard let exchange = exchange(of: task) else { return }
    let response = task.response as? HTTPURLResponse
    // After a rejected challenge, URLSession cancels the task once the complete response has
    // arrived.
    let isComplete = error == nil || (error as? URLError)?.code == .cancelled
    if let response, isComplete {
      exchange.finish(status: response.statusCode, headers: response.allHeaderFields)
    } else if let error {
      exchange.finish(.failure(reason(of: error)))
    } else {
      exchange.finish(.failure(.connectionLost("no response arrived")))
    }
  }
}
