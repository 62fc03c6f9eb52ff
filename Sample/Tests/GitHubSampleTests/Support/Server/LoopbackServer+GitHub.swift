import Foundation

extension LoopbackServer {
  /// What points the command to the server.
  var variables: [String: String] {
    ["GITHUB_GRAPHQL_URL": url, "GITHUB_TOKEN": LoopbackServer.token]
  }

  static let token = "ghp_secretOfMona"
}

extension LoopbackServer.Reply {
  /// One of so many pages of one repository each.
  static func page(_ index: Int, of count: Int) -> LoopbackServer.Reply {
    let next = index < count - 1 ? "\(index)" : nil
    return .answer(body: Data(String.answer("page-\(index)", total: count, next: next).utf8))
  }
}
