/// Requests one repository.
package struct RepositoryRequest: ApiRequest, Equatable {
  package struct Variables: Encodable, Equatable {
    let owner: String
    let name: String
  }

  package struct Payload: Decodable {
    let repository: GitHub.Repository?
  }

  package static let query = """
    query Repository($owner: String!, $name: String!) {
      repository(owner: $owner, name: $name) { \(GitHub.Repository.selection) }
    }
    """

  package let variables: Variables

  package init(owner: String, name: String) {
    variables = Variables(owner: owner, name: name)
  }

  package var recordingKey: String {
    "repository/\(variables.owner)/\(variables.name)".lowercased()
  }

  package var reasonIfNotFound: ApiError.Reason {
    .unknownRepository("\(variables.owner)/\(variables.name)")
  }

  package func response(from payload: Payload) throws(ApiError.Reason) -> GitHub.Repository {
    guard let repository = payload.repository else { throw reasonIfNotFound }
    return repository
  }
}
