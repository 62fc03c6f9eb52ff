extension ApiSession {
  /// Sends a request and returns the response. This method throws if the task is cancelled before
  /// the response arrives.
  func sendUnlessCancelled<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    let response = try await send(request)
    if Task.isCancelled { throw ApiError(.cancelled, at: place) }
    return response
  }

  /// Fetches pages until the last one, and calls a closure with the new items of each page.
  ///
  /// If GitHub needs too long for a page, or if a page costs too much, the method requests half the
  /// page size, at most twice. If the server leaves items out of the pages, the method throws an error after the
  /// last page.
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
    if let omission = pager.omission { throw ApiError(.withheld(omission), at: place) }
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
