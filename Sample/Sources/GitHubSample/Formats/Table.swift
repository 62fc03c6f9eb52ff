/// A table that lays out rows in columns for a terminal.
package struct Table<Row> {
  package struct Column {
    package enum Alignment: Sendable {
      case left, right
    }

    package let title: String
    package let alignment: Alignment
    package let style: Style?

    /// The column's preferred minimum width. Only a very narrow terminal makes the column narrower.
    package let leastWidth: Int
    package let text: (Row) -> String

    /// - Parameter leastWidth: The column's preferred minimum width. Pass nil to narrow the column
    ///   only if narrowing the other columns isn't enough.
    package init(
      _ title: String,
      alignment: Alignment = .left,
      style: Style? = nil,
      leastWidth: Int? = nil,
      text: @escaping (Row) -> String
    ) {
      self.title = title
      self.alignment = alignment
      self.style = style
      self.leastWidth = leastWidth ?? .max
      self.text = text
    }
  }

  private static var gap: Int { 2 }

  private let columns: [Column]

  package init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Returns the lines of a table that fits the given width. The first line contains the column
  /// titles.
  package func lines(for rows: [Row], width: Int, hasColors: Bool) -> [String] {
    let cells = rows.map { row in columns.map { $0.text(row) } }
    let widths = fittingWidths(
      columns.indices.map { index in
        ([columns[index].title.columns] + cells.map { $0[index].columns }).max() ?? 0
      },
      to: width
    )
    let header = line(of: columns.map(\.title), widths: widths) { text, _ in
      Style.faint.applied(to: text, if: hasColors)
    }
    return [header]
      + cells.map { cells in
        line(of: cells, widths: widths) { text, column in
          column.style?.applied(to: text, if: hasColors) ?? text
        }
      }
  }

  private func line(
    of cells: [String],
    widths: [Int],
    style: (String, Column) -> String
  ) -> String {
    var line = ""
    var padding = 0
    for ((cell, column), width) in zip(zip(cells, columns), widths) {
      let text = cell.cut(to: width)
      let missing = width - text.columns
      if column.alignment == .right { padding += missing }
      if !text.isEmpty {
        line += String(repeating: " ", count: padding) + style(text, column)
        padding = 0
      }
      padding += (column.alignment == .left ? missing : 0) + Table.gap
    }
    return line
  }

  /// Narrows the columns, from the last to the first, until the table fits. The columns shrink
  /// first to their preferred minimum widths, and then to a width of one character.
  private func fittingWidths(_ wanted: [Int], to width: Int) -> [Int] {
    var widths = wanted
    var excess = widths.reduce(0, +) + Table.gap * (widths.count - 1) - width
    for least in [columns.map(\.leastWidth), columns.map { _ in 1 }] {
      for index in columns.indices.reversed() where excess > 0 {
        let given = min(excess, max(0, widths[index] - least[index]))
        widths[index] -= given
        excess -= given
      }
    }
    return widths
  }
}
