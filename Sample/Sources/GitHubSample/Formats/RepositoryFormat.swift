import Foundation

/// The formats in which commands write repositories.
package enum RepositoryFormat {
  package static let list = ListFormat<GitHub.Repository>(
    columns: columns(now:),
    values: { repository in
      [
        repository.nameWithOwner.sanitized,
        String(repository.stargazerCount),
        String(repository.forkCount),
        repository.primaryLanguage?.sanitized ?? "",
        info(of: repository),
        repository.pushedAt?.formatted(.iso8601) ?? "",
        repository.summary?.sanitized ?? "",
      ]
    },
    fields: fields,
    summary: { repositories, width, hasColors in
      let languages = repositories.compactMap(\.primaryLanguage)
      return LanguageBar.line(for: languages, width: width, hasColors: hasColors)
    }
  )

  package static let fields: [JSONField<GitHub.Repository>] = [
    JSONField("createdAt") { .date($0.createdAt) },
    JSONField("description") { .string($0.summary) },
    JSONField("forkCount") { .number($0.forkCount) },
    JSONField("id") { .string($0.id) },
    JSONField("isArchived") { .bool($0.isArchived) },
    JSONField("isFork") { .bool($0.isFork) },
    JSONField("isPrivate") { .bool($0.visibility != .public) },
    JSONField("nameWithOwner") { .string($0.nameWithOwner) },
    JSONField("primaryLanguage") { repository in
      repository.primaryLanguage.map { .object(["name": .string($0)]) } ?? .null
    },
    JSONField("pushedAt") { .date($0.pushedAt) },
    JSONField("stargazerCount") { .number($0.stargazerCount) },
    JSONField("updatedAt") { .date($0.updatedAt) },
    JSONField("url") { .string($0.url) },
    JSONField("visibility") { .string($0.visibility.rawValue) },
  ]

  @Sendable
  private static func columns(now: Date) -> [Table<GitHub.Repository>.Column] {
    [
      .init("NAME", style: .bold, leastWidth: 20) { $0.nameWithOwner.sanitized },
      .init("STARS", alignment: .right, style: .yellow) { String($0.stargazerCount) },
      .init("LANGUAGE", style: .green, leastWidth: 8) { $0.primaryLanguage?.sanitized ?? "" },
      .init("INFO") { info(of: $0) },
      .init("PUSHED", style: .faint) { repository in
        repository.pushedAt.map { RelativeTime.text(for: $0, now: now) } ?? ""
      },
      .init("DESCRIPTION", leastWidth: 12) { $0.summary?.sanitized ?? "" },
    ]
  }

  /// Returns a text such as "private, fork", in the style of `gh`.
  static func info(of repository: GitHub.Repository) -> String {
    var info = [repository.visibility.rawValue.lowercased().sanitized]
    if repository.isFork { info.append("fork") }
    if repository.isArchived { info.append("archived") }
    return info.joined(separator: ", ")
  }
}
