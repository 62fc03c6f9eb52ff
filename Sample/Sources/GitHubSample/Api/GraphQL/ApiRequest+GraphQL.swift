import Foundation

extension ApiRequest {
  /// Encodes the body of the POST request.
  func body() throws(ApiError.Reason) -> Data {
    do {
      return try JSONEncoder().encode(GraphQLBody(query: Self.query, variables: variables))
    } catch {
      throw .refusedQuery("its variables cannot be encoded as JSON")
    }
  }

  /// Decodes the server's response.
  ///
  /// This method checks the status and then the errors before it decodes the data. A response with
  /// status 200 can contain errors, which make the response's data incomplete. If each error concerns one item
  /// of a list, the response has the other items.
  func decode(_ response: HTTPResponse) throws(ApiError.Reason) -> Response {
    guard response.status == 200 else { throw response.reasonOfStatus }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let errors = try errors(in: response, decoder: decoder)
    let payload = Result { try decoder.decode(GraphQLData<Payload>.self, from: response.body).data }
    // An error that concerns more than an item says more than the errors of items.
    if let error = errors.first(where: { $0.item == nil }) ?? errors.first {
      let reason = reason(of: error, in: response)
      guard errors.allSatisfy({ $0.item != nil }), let payload = try? payload.get(),
        let partial = self.response(
          from: payload,
          lacking: Set(errors.map(\.item)).count,
          because: reason
        )
      else { throw reason }
      return partial
    }
    guard case .success(let payload) = payload else { throw .unexpectedShape }
    guard let payload else {
      // If GitHub receives too many simultaneous requests, GitHub's response contains a message
      // instead of data.
      guard HTTPResponse.mentionsRateLimit(response.explanation) else { throw .unexpectedShape }
      throw .rateLimited(response.explanation, retryAfter: response.retryAfter)
    }
    return try self.response(from: payload)
  }

  private func errors(
    in response: HTTPResponse,
    decoder: JSONDecoder
  ) throws(ApiError.Reason) -> [GraphQLErrors.Entry] {
    do {
      return try decoder.decode(GraphQLErrors.self, from: response.body).errors ?? []
    } catch DecodingError.dataCorrupted {
      throw .notJSON(status: response.status)
    } catch {
      throw .unexpectedShape
    }
  }

  private func reason(of error: GraphQLErrors.Entry, in response: HTTPResponse) -> ApiError.Reason {
    switch error.type {
    case "NOT_FOUND":
      reasonIfNotFound
    case "RATE_LIMITED", "RATE_LIMIT":
      .rateLimited(error.text, retryAfter: response.retryAfter)
    case nil where HTTPResponse.mentionsRateLimit(error.text):
      .rateLimited(error.text, retryAfter: response.retryAfter)
    case "RESOURCE_LIMITS_EXCEEDED":
      .tooCostly(error.text)
    case "FORBIDDEN", "INSUFFICIENT_SCOPES":
      .forbidden(error.text, singleSignOn: response.singleSignOnURL)
    default:
      .refusedQuery(error.text)
    }
  }
}

private struct GraphQLBody<Variables: Encodable>: Encodable {
  let query: String
  let variables: Variables
}

private struct GraphQLData<Payload: Decodable>: Decodable {
  let data: Payload?
}

/// The name of a field, or the index of an item in a list.
private enum PathElement: Decodable, Hashable {
  case field(String)
  case index(Int)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self =
      try (try? container.decode(Int.self)).map(PathElement.index)
      ?? .field(container.decode(String.self))
  }

  var isIndex: Bool { if case .index = self { true } else { false } }
}

private struct GraphQLErrors: Decodable {
  struct Entry: Decodable {
    let type: String?
    let message: String?
    let path: [PathElement]?

    /// The path to the item of a list that the error concerns, or nil if the error concerns more. An error without
    /// a path counts as an error of an item.
    var item: ArraySlice<PathElement>? {
      guard let path else { return [] }
      return path.firstIndex(where: \.isIndex).map { path[...$0] }
    }

    var text: String { message ?? "no reason is given" }
  }

  let errors: [Entry]?
}
