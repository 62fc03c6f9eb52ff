import Foundation
import GitHubSample

extension GitHub.Repository {
  /// A repository of which only the name matters.
  static func named(_ name: String, stars: Int = 1) -> GitHub.Repository {
    GitHub.Repository(id: "id-\(name)", nameWithOwner: "mona/\(name)", stargazerCount: stars)
  }
}

extension RepositoryPage {
  /// A page of such repositories.
  static func of(_ names: String..., total: Int, next: String? = nil) -> RepositoryPage {
    RepositoryPage(
      repositories: names.map { .named($0) },
      totalCount: total,
      hasNextPage: next != nil,
      endCursor: next
    )
  }
}

extension String {
  /// What GitHub sends for a page of one repository.
  static func answer(_ name: String, total: Int = 1, next: String? = nil) -> String {
    """
    {"data": {"repositoryOwner": {"repositories": {
      "totalCount": \(total),
      "pageInfo": {"hasNextPage": \(next != nil), "endCursor": \(next.map { "\"\($0)\"" } ?? "null")},
      "nodes": [null, {
        "id": "id-\(name)", "nameWithOwner": "mona/\(name)", "description": null,
        "stargazerCount": 1, "forkCount": 0, "primaryLanguage": null, "pushedAt": null
      }]
    }}}}
    """
  }
}
