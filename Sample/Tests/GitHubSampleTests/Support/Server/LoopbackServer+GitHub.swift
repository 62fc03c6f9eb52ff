import Foundation

extension LoopbackServer {
  /// The environment variables that lead the command to the server.
  var variables: [String: String] {
    ["GITHUB_GRAPHQL_URL": url, "GITHUB_TOKEN": LoopbackServer.token]
  }

  static let token = "ghp_secretOfMona"
}

extension LoopbackServer.Reply {
  /// A page with one repository, out of several pages.
  static func page(_ index: Int, of count: Int) -> LoopbackServer.Reply {
    let next = index < count - 1 ? "\(index)" : nil
    return .answer(body: Data(String.answer("page-\(index)", total: count, next: next).utf8))
  }
}
