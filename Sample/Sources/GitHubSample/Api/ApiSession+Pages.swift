extension ApiSession {
  /// Sends a request, and decodes the response, unless the task has been cancelled by the time that it comes.
  func sendUnlessCancelled<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    let response = try await send(request)
    if Task.isCancelled { throw ApiError(.cancelled, at: place) }
    return response
  }

  /// Fetches pages until there are no more, and calls a closure with what is new in each.
  ///
  /// A page that takes GitHub too long is requested again at half the size, twice.
  func fetchPages<Request: PagedRequest>(
    of pager: inout Pager<Request>,
    _ receive: (_ items: [Request.Item], _ totalCount: Int, _ hasMore: Bool) -> Void
  ) async throws(ApiError) {
    var halvings = 0
    while let request = pager.nextRequest {
      guard !Task.isCancelled else { throw ApiError(.cancelled, at: place) }
      do throws(ApiError) {
        let page = try await sendUnlessCancelled(request)
        halvings = 0
        receive(pager.accept(page), page.totalCount, pager.hasMore)
      } catch {
        guard error.reason.isCausedByPageSize, halvings < 2 else { throw error }
        halvings += 1
        pager.halvePageSize()
      }
    }
    if pager.isStuck { throw ApiError(.pagesWithoutEnd, at: place) }
  }
}

extension ApiError.Reason {
  fileprivate var isCausedByPageSize: Bool {
    switch self {
    case .gatewayTimedOut, .tooCostly: true
    default: false
    }
  }
}
