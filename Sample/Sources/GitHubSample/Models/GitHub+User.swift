extension GitHub {
  /// A user or an organization, which can own repositories.
  package struct User: Hashable, Identifiable, Sendable {
    package var login: String
    package var name: String?
    package var isOrganization: Bool

    package var id: String { login }

    package init(login: String, name: String? = nil, isOrganization: Bool = false) {
      self.login = login
      self.name = name
      self.isOrganization = isOrganization
    }
  }
}

extension GitHub.User: Decodable {
  private enum CodingKeys: String, CodingKey {
    case login, name
    case kind = "__typename"
  }

  /// Decodes a user or an organization from a node of a GraphQL response.
  package init(from decoder: any Decoder) throws {
    let node = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      login: try node.decode(String.self, forKey: .login),
      name: try node.decodeIfPresent(String.self, forKey: .name),
      isOrganization: try node.decodeIfPresent(String.self, forKey: .kind) == "Organization"
    )
  }
}
