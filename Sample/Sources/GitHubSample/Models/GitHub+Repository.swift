import Foundation

extension GitHub {
  /// One repository, as a list shows it.
  package struct Repository: Hashable, Identifiable, Sendable {
    /// GitHub's global id, by which a repository that comes twice is recognised.
    package let id: String
    package let nameWithOwner: String
    package let summary: String?
    package let stargazerCount: Int
    package let forkCount: Int
    package let primaryLanguage: String?
    package let pushedAt: Date?

    package init(
      id: String,
      nameWithOwner: String,
      summary: String? = nil,
      stargazerCount: Int = 0,
      forkCount: Int = 0,
      primaryLanguage: String? = nil,
      pushedAt: Date? = nil
    ) {
      self.id = id
      self.nameWithOwner = nameWithOwner
      self.summary = summary
      self.stargazerCount = stargazerCount
      self.forkCount = forkCount
      self.primaryLanguage = primaryLanguage
      self.pushedAt = pushedAt
    }
  }
}

extension GitHub.Repository: Decodable {
  private enum CodingKeys: String, CodingKey {
    case id, nameWithOwner, stargazerCount, forkCount, primaryLanguage, pushedAt
    case summary = "description"
  }

  private struct Language: Decodable {
    let name: String
  }

  /// Reads a node of a GraphQL answer.
  package init(from decoder: any Decoder) throws {
    let node = try decoder.container(keyedBy: CodingKeys.self)
    id = try node.decode(String.self, forKey: .id)
    nameWithOwner = try node.decode(String.self, forKey: .nameWithOwner)
    summary = try node.decodeIfPresent(String.self, forKey: .summary)
    stargazerCount = try node.decode(Int.self, forKey: .stargazerCount)
    forkCount = try node.decode(Int.self, forKey: .forkCount)
    primaryLanguage = try node.decodeIfPresent(Language.self, forKey: .primaryLanguage)?.name
    pushedAt = try node.decodeIfPresent(Date.self, forKey: .pushedAt)
  }
}
