import Foundation

extension LoopbackServer {
  /// The environment variables that make the command use this server.
  var variables: [String: String] {
    ["GITHUB_GRAPHQL_URL": url, "GITHUB_TOKEN": LoopbackServer.token]
  }

  static let token = "ghp_secretOfMona"
}

extension LoopbackServer.Reply {
  /// Returns a reply with one of several pages. The page contains one repository.
  static func page(_ index: Int, of count: Int) -> LoopbackServer.Reply {
    let next = index < count - 1 ? "\(index)" : nil
    return .answer(body: Data(String.answer("page-\(index)", total: count, next: next).utf8))
  }
}
