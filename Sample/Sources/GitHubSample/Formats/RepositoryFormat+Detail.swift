import Foundation

extension RepositoryFormat {
  /// Returns the lines that show one repository to people.
  static func card(of repository: GitHub.Repository, now: Date, hasColors: Bool) -> [String] {
    let title = repository.nameWithOwner.sanitized
    let facts = [
      Style.yellow.applied(to: "★ \(repository.stargazerCount)", if: hasColors),
      "\(repository.forkCount) \(repository.forkCount == 1 ? "fork" : "forks")",
      repository.primaryLanguage.map {
        Style.green.applied(to: $0.sanitized, if: hasColors)
      },
      info(of: repository),
    ]
    let times = [("pushed", repository.pushedAt), ("created", repository.createdAt)]
      .compactMap { name, date in date.map { "\(name) \(RelativeTime.text(for: $0, now: now))" } }
    return [
      Style.bold.applied(to: title, if: hasColors),
      repository.summary.map(\.sanitized),
      facts.compactMap(\.self).joined(separator: " · "),
      Style.faint.applied(to: times.joined(separator: " · "), if: hasColors),
      Style.cyan.applied(to: repository.url.sanitized, if: hasColors),
    ]
    .compactMap(\.self).filter { !$0.isEmpty }
  }

  /// Returns the lines that describe one repository to other programs. Each line has a name and a
  /// value.
  static func lines(of repository: GitHub.Repository) -> [String] {
    let values: [(String, String)] = [
      ("name", repository.nameWithOwner),
      ("description", repository.summary ?? ""),
      ("stars", String(repository.stargazerCount)),
      ("forks", String(repository.forkCount)),
      ("language", repository.primaryLanguage ?? ""),
      ("info", info(of: repository)),
      ("created", repository.createdAt?.formatted(.iso8601) ?? ""),
      ("updated", repository.updatedAt?.formatted(.iso8601) ?? ""),
      ("pushed", repository.pushedAt?.formatted(.iso8601) ?? ""),
      ("url", repository.url),
    ]
    return values.map { "\($0):\t\($1.sanitized)" }
  }
}
