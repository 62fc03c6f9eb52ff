import Foundation

/// Lays repositories out in columns, page by page.
///
/// Rows are written as they come, so that a column can't know what later pages need. It begins with
/// room for most, grows with a page that needs more, and never shrinks.
package struct RepositoryTable {
  private enum Alignment {
    case left, right
  }

  private static let columns: [(title: String, width: Int, alignment: Alignment)] = [
    ("NAME", 30, .left), ("STARS", 6, .right), ("FORKS", 6, .right), ("LANGUAGE", 16, .left),
    ("PUSHED", 10, .left), ("DESCRIPTION", 0, .left),
  ]
  private static let widestDescription = 60

  private var widths = RepositoryTable.columns.map(\.width)
  private var hasHeader = false

  package init() {}

  /// The lines for one more page, with the header before the first.
  package mutating func lines(for repositories: [GitHub.Repository]) -> [String] {
    guard !repositories.isEmpty else { return [] }
    let rows = repositories.map(RepositoryTable.cells(of:))
    for row in rows {
      for (column, cell) in row.enumerated() {
        widths[column] = max(widths[column], cell.columns)
      }
    }
    defer { hasHeader = true }
    let header = hasHeader ? [] : [RepositoryTable.columns.map(\.title)]
    return (header + rows).map(line(of:))
  }

  private func line(of cells: [String]) -> String {
    let padded = zip(zip(cells, widths), RepositoryTable.columns).map { cell, column in
      switch column.alignment {
      case .left: cell.0.leftAligned(in: cell.1)
      case .right: cell.0.rightAligned(in: cell.1)
      }
    }
    let line = padded.joined(separator: "  ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  private static func cells(of repository: GitHub.Repository) -> [String] {
    [
      DisplayText.oneLine(repository.nameWithOwner),
      String(repository.stargazerCount),
      String(repository.forkCount),
      repository.primaryLanguage.map(DisplayText.oneLine) ?? "-",
      repository.pushedAt.map { $0.formatted(.iso8601.year().month().day()) } ?? "-",
      DisplayText.oneLine(repository.summary ?? "").cut(to: widestDescription),
    ]
  }
}
