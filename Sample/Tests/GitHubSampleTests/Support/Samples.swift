import Foundation
import GitHubSample

extension GitHub.Repository {
  /// A repository in which only the name matters.
  static func named(_ name: String) -> GitHub.Repository {
    GitHub.Repository(id: "id-\(name)", nameWithOwner: "mona/\(name)", stargazerCount: 1)
  }

  /// Three repositories that differ in all shown properties.
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
  /// A page of repositories in which only the names matter.
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
  /// A request for a page of mona's repositories, the most starred first.
  static func ofMona(first: Int, after: String? = nil) -> RepositoriesRequest {
    RepositoriesRequest(RepositoryQuery(login: "mona"), first: first, after: after)
  }
}

extension String {
  /// GitHub's response for a page with one repository. The description and the visibility are JSON
  /// text.
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

  /// The line for other programs that shows this repository.
  static func line(_ name: String, description: String = "") -> String {
    "mona/\(name)\t1\t0\t\tpublic\t\t\(description)\n"
  }
}
