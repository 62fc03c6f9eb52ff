import FluxCapacitor

/// Prints the visible cards and the summary when they change, and each failure once.
final class BoardView: Sendable {
  private let page: Constant<Page>
  private let summary: Constant<Summary>
  private let dustBuster = DustBuster()
  private let print: @Sendable (String) -> Void

  init(
    cards: CardStore,
    search: SearchStore,
    sync: SyncStore,
    print: @escaping @Sendable (String) -> Void
  ) {
    page = Constant.combine(cards.cards.rows, search.text).map(Page.init).removeDuplicates()
    summary = Constant.combine(cards.cards.rows, sync.unsynced).map(Summary.init)
      .removeDuplicates()
    self.print = print
    page.observe { print($0.text) }.cleaned(by: dustBuster)
    summary.observe { print($0.text) }.cleaned(by: dustBuster)
    sync.failures.observe { print($0.text) }.cleaned(by: dustBuster)
  }

  /// Prints the visible cards and the summary, although they haven't changed.
  func show() {
    print(page.value.text)
    print(summary.value.text)
  }
}
