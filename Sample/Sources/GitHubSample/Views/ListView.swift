import FluxCapacitor
import Foundation

/// Shows the items of a store. The view writes lines while items are fetched, but writes a table or
/// JSON after the fetch. The view shows a restored list at once.
package final class ListView<Item: Sendable>: Sendable {
  private let items: Constant<[Item]>
  private let title: Constant<String?>
  private let failure: Constant<ApiError?>
  private let format: ListFormat<Item>
  private let output: OutputFormat
  private let environment: any ViewEnvironment
  private let shownCount = Protected(0)
  private let dustBuster = DustBuster()

  /// - Parameter title: The line above a table, or nil before the first page.
  init(
    items: Constant<[Item]>,
    title: Constant<String?>,
    stores: Stores,
    format: ListFormat<Item>,
    output: OutputFormat,
    environment: any ViewEnvironment
  ) {
    self.items = items
    self.title = title
    failure = stores.failure
    self.format = format
    self.output = output
    self.environment = environment
    if case .lines(let hasColors) = output {
      items
        .observe { [weak self] in self?.showLines(for: $0, hasColors: hasColors) }
        .cleaned(by: dustBuster)
    } else {
      stores.isFetching
        .observe { [weak self] in if !$0 { self?.showAll() } }
        .cleaned(by: dustBuster)
    }
  }

  private func showLines(for items: [Item], hasColors: Bool) {
    let new = shownCount.withLock { count in
      defer { count = items.count }
      return items.dropFirst(count <= items.count ? count : 0)
    }
    guard !new.isEmpty else { return }
    environment.console.print(
      new.map { format.line(for: $0, hasColors: hasColors) }.joined(separator: "\n")
    )
  }

  private func showAll() {
    guard let title = title.value else { return }
    let items = items.value
    switch output {
    case .lines:
      break
    case .json(let fields, let isPretty):
      // If a fetch fails without items, the view writes no JSON, because an empty list would look
      // like a success.
      guard !items.isEmpty || failure.value == nil else { return }
      environment.console.print { try format.json(for: items, fields: fields, isPretty: isPretty) }
    case .table(let width, let hasColors):
      guard !items.isEmpty else { return }
      let table = Table(format.columns(environment.now()))
      var lines =
        [title.cut(to: width), ""] + table.lines(for: items, width: width, hasColors: hasColors)
      if let summary = format.summary(items, width, hasColors) { lines += ["", summary] }
      environment.console.print(lines.joined(separator: "\n"))
    }
  }
}
