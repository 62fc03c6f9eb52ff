/// Requests one page of the users and organizations that match a search.
package struct UsersRequest: PagedRequest, Equatable {
  package typealias Item = GitHub.User

  package struct Variables: Encodable, Equatable {
    let text: String
    let first: Int
    let after: String?
  }

  package struct Payload: Decodable {
    let search: Connection

    struct Connection: Decodable {
      let userCount: Int
      let pageInfo: PageInfo
      let nodes: [GitHub.User?]?
    }
  }

  package static let query = """
    query Users($text: String!, $first: Int!, $after: String) {
      search(query: $text, type: USER, first: $first, after: $after) {
        userCount
        pageInfo { hasNextPage endCursor }
        nodes {
          __typename
          ... on User { login name }
          ... on Organization { login name }
        }
      }
    }
    """

  package let text: String
  package let first: Int
  package let after: String?

  package init(matching text: String, first: Int = 100, after: String? = nil) {
    self.text = text
    self.first = first
    self.after = after
  }

  package var variables: Variables { Variables(text: text, first: first, after: after) }

  package func page(first: Int, after: String?) -> UsersRequest {
    UsersRequest(matching: text, first: first, after: after)
  }

  package var recordingKey: String { "users" }

  package var reasonIfNotFound: ApiError.Reason { .unexpectedShape }

  package func response(from payload: Payload) throws(ApiError.Reason) -> Page<GitHub.User> {
    Page(
      nodes: payload.search.nodes,
      totalCount: payload.search.userCount,
      pageInfo: payload.search.pageInfo
    )
  }
}
