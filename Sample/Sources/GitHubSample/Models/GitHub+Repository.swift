import Foundation

extension GitHub {
  /// A repository of a user or an organization.
  package struct Repository: Hashable, Identifiable, Sendable {
    /// The visibility of a repository. The type also represents values that are unknown to this
    /// program.
    package struct Visibility: RawRepresentable, CaseIterable, Codable, Hashable, Sendable {
      package static let `public` = Visibility(rawValue: "PUBLIC")
      package static let `private` = Visibility(rawValue: "PRIVATE")
      package static let `internal` = Visibility(rawValue: "INTERNAL")

      package static let allCases = [`public`, `private`, `internal`]

      package let rawValue: String

      package init(rawValue: String) {
        self.rawValue = rawValue
      }
    }

    /// GitHub's global ID of the repository, which identifies the repository in all responses.
    package var id: String
    package var nameWithOwner: String
    package var url: String
    package var summary: String?
    package var stargazerCount: Int
    package var forkCount: Int
    package var primaryLanguage: String?
    package var visibility: Visibility
    package var isFork: Bool
    package var isArchived: Bool
    package var createdAt: Date?
    package var updatedAt: Date?
    package var pushedAt: Date?

    package init(
      id: String,
      nameWithOwner: String,
      url: String = "",
      summary: String? = nil,
      stargazerCount: Int = 0,
      forkCount: Int = 0,
      primaryLanguage: String? = nil,
      visibility: Visibility = .public,
      isFork: Bool = false,
      isArchived: Bool = false,
      createdAt: Date? = nil,
      updatedAt: Date? = nil,
      pushedAt: Date? = nil
    ) {
      self.id = id
      self.nameWithOwner = nameWithOwner
      self.url = url
      self.summary = summary
      self.stargazerCount = stargazerCount
      self.forkCount = forkCount
      self.primaryLanguage = primaryLanguage
      self.visibility = visibility
      self.isFork = isFork
      self.isArchived = isArchived
      self.createdAt = createdAt
      self.updatedAt = updatedAt
      self.pushedAt = pushedAt
    }
  }
}

extension GitHub.Repository: Decodable {
  /// The fields of a repository that a GraphQL query selects.
  static let selection = """
    id
    nameWithOwner
    url
    description
    stargazerCount
    forkCount
    primaryLanguage { name }
    visibility
    isFork
    isArchived
    createdAt
    updatedAt
    pushedAt
    """

  private enum CodingKeys: String, CodingKey {
    case id, nameWithOwner, url, stargazerCount, forkCount, primaryLanguage, visibility, isFork
    case isArchived, createdAt, updatedAt, pushedAt
    case summary = "description"
  }

  private struct Language: Codable {
    let name: String
  }

  /// Decodes a repository from a node of a GraphQL response.
  package init(from decoder: any Decoder) throws {
    let node = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try node.decode(String.self, forKey: .id),
      nameWithOwner: try node.decode(String.self, forKey: .nameWithOwner),
      url: try node.decode(String.self, forKey: .url),
      summary: try node.decodeIfPresent(String.self, forKey: .summary),
      stargazerCount: try node.decode(Int.self, forKey: .stargazerCount),
      forkCount: try node.decode(Int.self, forKey: .forkCount),
      primaryLanguage: try node.decodeIfPresent(Language.self, forKey: .primaryLanguage)?.name,
      visibility: try node.decode(Visibility.self, forKey: .visibility),
      isFork: try node.decode(Bool.self, forKey: .isFork),
      isArchived: try node.decode(Bool.self, forKey: .isArchived),
      createdAt: try node.decodeIfPresent(Date.self, forKey: .createdAt),
      updatedAt: try node.decodeIfPresent(Date.self, forKey: .updatedAt),
      pushedAt: try node.decodeIfPresent(Date.self, forKey: .pushedAt)
    )
  }
}

extension GitHub.Repository: Encodable {
  /// Encodes a repository as a node of a GraphQL response.
  package func encode(to encoder: any Encoder) throws {
    var node = encoder.container(keyedBy: CodingKeys.self)
    try node.encode(id, forKey: .id)
    try node.encode(nameWithOwner, forKey: .nameWithOwner)
    try node.encode(url, forKey: .url)
    try node.encodeIfPresent(summary, forKey: .summary)
    try node.encode(stargazerCount, forKey: .stargazerCount)
    try node.encode(forkCount, forKey: .forkCount)
    try node.encodeIfPresent(primaryLanguage.map(Language.init), forKey: .primaryLanguage)
    try node.encode(visibility, forKey: .visibility)
    try node.encode(isFork, forKey: .isFork)
    try node.encode(isArchived, forKey: .isArchived)
    try node.encodeIfPresent(createdAt, forKey: .createdAt)
    try node.encodeIfPresent(updatedAt, forKey: .updatedAt)
    try node.encodeIfPresent(pushedAt, forKey: .pushedAt)
  }
}
