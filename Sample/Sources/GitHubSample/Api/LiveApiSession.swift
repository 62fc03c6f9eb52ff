import Foundation

/// Asks GitHub's GraphQL API over the network.
package struct LiveApiSession: ApiSession {
  private let endpoint: Result<Endpoint, ApiError>
  private let limits: HTTPLimits

  /// Makes a session from the process's environment variables.
  ///
  /// If they won't do, that is said in answer to the first request, the way any failure is.
  package init(variables: [String: String], limits: HTTPLimits = .standard) {
    endpoint = Result { () throws(ApiError) in try Endpoint(variables: variables) }
    self.limits = limits
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
    do throws(ApiError.Reason) {
      let urlRequest = endpoint.urlRequest(body: try request.body())
      let answer = try await HTTPTransport.shared.send(urlRequest, limits: limits)
      return try request.response(to: endpoint.redact(answer))
    } catch {
      throw ApiError(error, at: place)
    }
  }
}
