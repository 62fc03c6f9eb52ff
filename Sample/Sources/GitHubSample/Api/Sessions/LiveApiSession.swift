import Foundation

/// Sends requests to GitHub's GraphQL API over the network.
package struct LiveApiSession: ApiSession {
  private let endpoint: Result<Endpoint, ApiError>
  private let limits: HTTPLimits
  private let deadline: Deadline

  /// Creates a session from the command line's options and the process's environment variables.
  ///
  /// If the options and variables contain no valid address and token, each request throws an error.
  package init(
    options: ConnectionOptions = ConnectionOptions(),
    variables: [String: String],
    limits: HTTPLimits = .standard,
    deadline: Deadline
  ) {
    endpoint = Result { () throws(ApiError) in
      try Endpoint(options: options, variables: variables)
    }
    self.limits =
      options.timeout.map { HTTPLimits(time: $0, bodySize: limits.bodySize) } ?? limits
    self.deadline = deadline
  }

  package var place: String {
    switch endpoint {
    case .success(let endpoint): endpoint.place
    case .failure(let error): error.place
    }
  }

  package func send<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    let endpoint = try endpoint.get()
    let remaining = deadline.remaining
    let limits = HTTPLimits(time: min(limits.time, remaining), bodySize: limits.bodySize)
    do throws(ApiError.Reason) {
      let urlRequest = endpoint.urlRequest(body: try request.body())
      let redaction = Redaction(of: endpoint.token.secret)
      let response = try await HTTPTransport.shared.send(urlRequest, limits: limits) { response in
        redaction.map(response.redacted) ?? response
      }
      return try request.decode(response)
    } catch {
      let isDeadline = error == .timedOut(after: remaining)
      throw ApiError(isDeadline ? .timedOut(after: deadline.total) : error, at: place)
    }
  }
}
