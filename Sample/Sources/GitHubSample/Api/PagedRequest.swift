/// A request for one page of a list.
package protocol PagedRequest: ApiRequest where Response == Page<Item> {
  associatedtype Item: Identifiable & Sendable where Item.ID: Sendable

  /// The maximum number of items on the page, from 1 to 100.
  var first: Int { get }

  /// Returns the same request for another page.
  ///
  /// - Parameter after: The cursor at the end of the previous page, or nil for the first page.
  func page(first: Int, after: String?) -> Self
}

extension PagedRequest {
  package func response(
    from payload: Payload,
    lacking count: Int,
    because error: ApiError.Reason
  ) -> Page<Item>? {
    guard var page = try? response(from: payload) else { return nil }
    switch error {
    case .forbidden(let detail, let singleSignOn):
      page.omission = Omission(count: count, detail: detail, singleSignOn: singleSignOn)
    case .refusedQuery(let detail):
      page.omission = Omission(count: count, detail: detail, singleSignOn: nil)
    default:
      return nil
    }
    return page
  }
}
