import Foundation
import GitHubSample

extension GitHub.Repository {
  /// Returns a repository with the given name and arbitrary other properties.
  static func named(_ name: String) -> GitHub.Repository {
    GitHub.Repository(id: "id-\(name)", nameWithOwner: "mona/\(name)", stargazerCount: 1)
  }

  /// Three repositories with different values, including missing values, for the properties that a
  /// list shows.
  static let various: [GitHub.Repository] = {
    let now: TimeInterval = 1_700_000_000
    var clock = GitHub.Repository.named("clock")
    clock.summary = "Tells the time.\nAnd the date."
    clock.stargazerCount = 4_213
    clock.primaryLanguage = "Swift"
    clock.pushedAt = Date(timeIntervalSince1970: now - 3 * 3_600)
    var kaizu = GitHub.Repository.named("kaizu")
    kaizu.summary = "港と航路のための小さな地図ライブラリ、とても長い説明がここに続きます"
    kaizu.primaryLanguage = "C++"
    kaizu.isFork = true
    kaizu.visibility = .private
    kaizu.pushedAt = Date(timeIntervalSince1970: now - 400 * 86_400)
    return [clock, kaizu, .named("empty")]
  }()
}

extension Page<GitHub.Repository> {
  /// Returns a page of repositories with the given names.
  static func of(_ names: String..., total: Int, next: String? = nil) -> Self {
    of(names, total: total, next: next)
  }

  static func of(_ names: [String], total: Int, next: String? = nil) -> Self {
    Page(
      items: names.map { .named($0) },
      totalCount: total,
      hasNextPage: next != nil,
      endCursor: next
    )
  }
}

extension RepositoriesRequest {
  /// Returns a request for a page of the user mona's repositories.
  static func ofMona(first: Int, after: String? = nil) -> RepositoriesRequest {
    RepositoriesRequest(RepositoryQuery(login: "mona"), first: first, after: after)
  }
}

extension String {
  /// Returns GitHub's response body for a page with one repository. The description and the
  /// visibility are inserted as JSON text.
  static func answer(
    _ name: String,
    description: String = "null",
    visibility: String = "PUBLIC",
    total: Int = 1,
    next: String? = nil
  ) -> String {
    """
    {"data": {"repositoryOwner": {"repositories": {
      "totalCount": \(total),
      "pageInfo": {"hasNextPage": \(next != nil), "endCursor": \(next.map { "\"\($0)\"" } ?? "null")},
      "nodes": [null, {
        "id": "id-\(name)", "nameWithOwner": "mona/\(name)", "description": \(description), "url": "",
        "stargazerCount": 1, "forkCount": 0, "primaryLanguage": null, "visibility": "\(visibility)",
        "isFork": false, "isArchived": false, "createdAt": null, "updatedAt": null, "pushedAt": null
      }]
    }}}}
    """
  }

  /// Returns the output line for a repository in a pipe.
  static func line(_ name: String, description: String = "") -> String {
    "mona/\(name)\t1\t0\t\tpublic\t\t\(description)\n"
  }
}
