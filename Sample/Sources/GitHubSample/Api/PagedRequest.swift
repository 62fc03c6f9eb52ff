/// A request for one page of a list.
package protocol PagedRequest: ApiRequest where Response == Page<Item> {
  associatedtype Item: Identifiable & Sendable where Item.ID: Sendable

  /// The size of the page, from 1 to 100.
  var first: Int { get }

  /// Returns the same request for another page.
  ///
  /// - Parameter after: The cursor at the end of the previous page; nil for the first page.
  func page(first: Int, after: String?) -> Self
}
