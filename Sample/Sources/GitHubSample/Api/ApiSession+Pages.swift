extension ApiSession {
  /// Sends a request and returns the response, or throws if the task has been cancelled in the
  /// meantime.
  func sendUnlessCancelled<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    let response = try await send(request)
    if Task.isCancelled { throw ApiError(.cancelled, at: place) }
    return response
  }

  /// Fetches pages until the last one, and calls a closure with the new items of each page.
  ///
  /// If a page takes GitHub too long or costs too much, it is requested again at half the size, at
  /// most twice.
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
