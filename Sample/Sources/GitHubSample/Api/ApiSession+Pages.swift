extension ApiSession {
  /// Fetches pages until there are no more to be had, and hands out what is new in each.
  ///
  /// A query that takes GitHub too long is asked again for half as much, twice.
  func fetchPages<Request: PagedRequest>(
    of pager: inout Pager<Request>,
    _ receive: (_ items: [Request.Item], _ totalCount: Int, _ hasMore: Bool) -> Void
  ) async throws(ApiError) {
    var reductions = 0
    while let request = pager.nextRequest {
      guard !Task.isCancelled else { throw ApiError(.cancelled, at: place) }
      do throws(ApiError) {
        let page = try await send(request)
        reductions = 0
        receive(pager.accept(page), page.totalCount, pager.hasMore)
      } catch {
        guard error.reason.asksForLess, reductions < 2 else { throw error }
        reductions += 1
        pager.halvePages()
      }
    }
    if pager.isStuck { throw ApiError(.pagesWithoutEnd, at: place) }
  }
}

extension ApiError.Reason {
  fileprivate var asksForLess: Bool {
    switch self {
    case .gatewayTimedOut, .tooCostly: true
    default: false
    }
  }
}
