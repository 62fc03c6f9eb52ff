import Foundation

extension LoopbackServer {
  /// Runs the command with this server.
  func run(_ arguments: String) async throws -> GitHubReposProcess {
    try await GitHubReposProcess.run(arguments, variables: variables)
  }

  /// The environment variables that make the command use this server.
  var variables: [String: String] {
    ["GITHUB_GRAPHQL_URL": url, "GITHUB_TOKEN": LoopbackServer.token]
  }

  static let token = "ghp_secretOfMona"
}

extension LoopbackServer.Reply {
  static func text(_ body: String, status: Int = 200, headers: [String: String] = [:]) -> Self {
    .answer(status: status, headers: headers, body: Data(body.utf8))
  }

  /// Returns a reply with a page of one repository, which the server withholds until the token is authorized.
  static func withheldPage(next: String) -> Self {
    let error =
      #"{"type": "FORBIDDEN", "path": ["repositoryOwner", "repositories", "nodes", 0], "message": "needs SSO"}"#
    let body = """
      {"errors": [\(error)], "data": {"repositoryOwner": {"repositories": {
        "totalCount": 6, "pageInfo": {"hasNextPage": true, "endCursor": "\(next)"}, "nodes": [null]
      }}}}
      """
    return .text(body, headers: ["X-GitHub-SSO": "required; url=https://github.com/sso"])
  }

  /// Returns a reply with one of several pages. The page contains one repository.
  static func page(_ index: Int, of count: Int) -> Self {
    let next = index < count - 1 ? "\(index)" : nil
    return .text(.answer("page-\(index)", total: count, next: next))
  }
}
