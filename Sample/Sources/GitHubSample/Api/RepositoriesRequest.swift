/// Asks for one page of the repositories that a user or an organisation owns, most starred first.
package struct RepositoriesRequest: ApiRequest, Equatable {
  package struct Variables: Encodable, Equatable {
    package var login: String
    package var first: Int
    package var after: String?
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

    struct PageInfo: Decodable {
      let hasNextPage: Bool
      let endCursor: String?
    }
  }

  /// `repositoryOwner` serves users and organisations; without `ownerAffiliations` the repositories
  /// of others, which the user only works on, would come along.
  package static let query = """
    query Repositories($login: String!, $first: Int!, $after: String) {
      repositoryOwner(login: $login) {
        repositories(
          first: $first
          after: $after
          ownerAffiliations: [OWNER]
          orderBy: { field: STARGAZERS, direction: DESC }
        ) {
          totalCount
          pageInfo { hasNextPage endCursor }
          nodes {
            id
            nameWithOwner
            description
            stargazerCount
            forkCount
            primaryLanguage { name }
            pushedAt
          }
        }
      }
    }
    """

  package let variables: Variables

  /// - Parameters:
  ///   - first: The size of the page, 1 to 100.
  ///   - after: The cursor of the page before; nil for the first page.
  package init(login: String, first: Int, after: String? = nil) {
    variables = Variables(login: login, first: first, after: after)
  }

  package var recordingKey: String {
    ["repositories", variables.login.lowercased(), variables.after]
      .compactMap(\.self)
      .joined(separator: "/")
  }

  package var reasonIfNotFound: ApiError.Reason {
    .unknownOwner(login: variables.login)
  }

  package func response(from payload: Payload) throws(ApiError.Reason) -> RepositoryPage {
    guard let repositories = payload.repositoryOwner?.repositories else {
      throw reasonIfNotFound
    }
    return RepositoryPage(
      repositories: (repositories.nodes ?? []).compactMap(\.self),
      totalCount: repositories.totalCount,
      hasNextPage: repositories.pageInfo.hasNextPage,
      endCursor: repositories.pageInfo.endCursor
    )
  }
}
