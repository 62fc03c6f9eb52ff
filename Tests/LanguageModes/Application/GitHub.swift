import LanguageModesLibrary

enum GitHub {
  struct User: Equatable {
    let id: String
    let login: String
  }

  struct Repository: Equatable {
    let id: String
    let name: String
    var stargazersCount: Int
  }

  enum Failure: Error {
    case unknownUser(id: String)
  }
}

struct SearchUserRequest: Request {
  let query: String

  func response() throws -> Response<GitHub.User> {
    let user = GitHub.User(id: "1", login: query)
    return Response(nodes: [user], totalCount: 1)
  }
}

struct UserNodeRequest: Request {
  let id: String
  let after: Int?

  func response() throws -> Response<GitHub.Repository> {
    guard id == "1" else { throw GitHub.Failure.unknownUser(id: id) }
    let first = (after ?? 0) + 1
    let repositories = (first...first + 1).map { number in
      GitHub.Repository(id: "\(number)", name: "repository \(number)", stargazersCount: 0)
    }
    return Response(nodes: repositories, totalCount: 4)
  }
}
