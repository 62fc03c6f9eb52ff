import Foundation

extension ApiRequest {
  /// The body to POST.
  func body() throws(ApiError.Reason) -> Data {
    do {
      return try JSONEncoder().encode(GraphQLBody(query: Self.query, variables: variables))
    } catch {
      throw .refusedQuery("its variables cannot be written as JSON")
    }
  }

  /// Reads an answer.
  ///
  /// A status other than 200 is looked at first, and then the errors: an answer with status 200 can
  /// hold nothing else, and the part of the data that may stand beside an error is not the whole.
  func response(to answer: HTTPAnswer) throws(ApiError.Reason) -> Response {
    guard answer.status == 200 else { throw answer.reasonOfStatus }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    if let error = try errors(in: answer, decoder: decoder).first {
      throw reason(of: error, in: answer)
    }
    let payload: Payload?
    do {
      payload = try decoder.decode(GraphQLAnswer<Payload>.self, from: answer.body).data
    } catch {
      throw .unexpectedShape
    }
    guard let payload else {
      // GitHub limits many requests at once with a message where the data would be.
      guard HTTPAnswer.speaksOfRateLimit(answer.explanation) else { throw .unexpectedShape }
      throw .rateLimited(answer.explanation, retryAfter: answer.retryAfter)
    }
    return try response(from: payload)
  }

  private func errors(
    in answer: HTTPAnswer,
    decoder: JSONDecoder
  ) throws(ApiError.Reason) -> [GraphQLErrors.Entry] {
    do {
      return try decoder.decode(GraphQLErrors.self, from: answer.body).errors ?? []
    } catch DecodingError.dataCorrupted {
      throw .notJSON(status: answer.status)
    } catch {
      throw .unexpectedShape
    }
  }

  private func reason(of error: GraphQLErrors.Entry, in answer: HTTPAnswer) -> ApiError.Reason {
    switch error.type {
    case "NOT_FOUND":
      reasonIfNotFound
    case "RATE_LIMITED", "RATE_LIMIT":
      .rateLimited(error.text, retryAfter: answer.retryAfter)
    case nil where HTTPAnswer.speaksOfRateLimit(error.text):
      .rateLimited(error.text, retryAfter: answer.retryAfter)
    case "RESOURCE_LIMITS_EXCEEDED":
      .tooCostly(error.text)
    case "FORBIDDEN", "INSUFFICIENT_SCOPES":
      .forbidden(error.text, singleSignOn: answer.singleSignOnURL)
    default:
      .refusedQuery(error.text)
    }
  }
}
