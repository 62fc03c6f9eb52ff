/// Requests one page of the repositories that a user or an organization owns.
package struct RepositoriesRequest: PagedRequest, Equatable {
  package typealias Item = GitHub.Repository

  package struct Variables: Encodable, Equatable {
    struct Order: Encodable, Equatable {
      let field: String
      let direction: String
    }

    let login: String
    let first: Int
    let after: String?
    let orderBy: Order
    let visibility: GitHub.Repository.Visibility?
    let isFork: Bool?
    let isArchived: Bool?
  }

  package struct Payload: Decodable {
    let repositoryOwner: Owner?

    struct Owner: Decodable {
      let repositories: Connection
    }

    struct Connection: Decodable {
      let totalCount: Int
      let pageInfo: PageInfo
      let nodes: [GitHub.Repository?]?
    }
  }

  /// The text of the query.
  ///
  /// In the query, `repositoryOwner` finds both users and organizations. The argument
  /// `ownerAffiliations` excludes repositories that belong to other owners.
  package static let query = """
    query Repositories(
      $login: String!, $first: Int!, $after: String, $orderBy: RepositoryOrder!
      $visibility: RepositoryVisibility, $isFork: Boolean, $isArchived: Boolean
    ) {
      repositoryOwner(login: $login) {
        repositories(
          first: $first, after: $after, orderBy: $orderBy, ownerAffiliations: [OWNER]
          visibility: $visibility, isFork: $isFork, isArchived: $isArchived
        ) {
          totalCount
          pageInfo { hasNextPage endCursor }
          nodes { \(GitHub.Repository.selection) }
        }
      }
    }
    """

  package let query: RepositoryQuery
  package let first: Int
  package let after: String?

  package init(_ query: RepositoryQuery, first: Int = 100, after: String? = nil) {
    self.query = query
    self.first = first
    self.after = after
  }

  package var variables: Variables {
    Variables(
      login: query.login,
      first: first,
      after: after,
      orderBy: Variables.Order(field: query.order.field, direction: query.sortDirection.graphQL),
      visibility: query.visibility,
      isFork: query.isFork,
      isArchived: query.isArchived
    )
  }

  package func page(first: Int, after: String?) -> RepositoriesRequest {
    RepositoriesRequest(query, first: first, after: after)
  }

  package var recordingKey: String {
    ["repositories", query.login.lowercased(), after].compactMap(\.self).joined(separator: "/")
  }

  package var reasonIfNotFound: ApiError.Reason {
    .unknownOwner(login: query.login)
  }

  package func response(
    from payload: Payload
  ) throws(ApiError.Reason) -> Page<GitHub.Repository> {
    guard let repositories = payload.repositoryOwner?.repositories else {
      throw reasonIfNotFound
    }
    return Page(
      nodes: repositories.nodes,
      totalCount: repositories.totalCount,
      pageInfo: repositories.pageInfo
    )
  }
}

extension RepositoryQuery.Order {
  fileprivate var field: String {
    switch self {
    case .stars: "STARGAZERS"
    case .pushed: "PUSHED_AT"
    case .updated: "UPDATED_AT"
    case .created: "CREATED_AT"
    case .name: "NAME"
    }
  }
}

extension RepositoryQuery.Direction {
  fileprivate var graphQL: String { rawValue.uppercased() }
}
