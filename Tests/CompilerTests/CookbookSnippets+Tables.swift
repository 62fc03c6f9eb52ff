import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The cookbook's recipe for long lists, and tests of this recipe.

private enum Recipes {
  @MainActor
  final class CardLines {
    private var ids: [String] = []
    private let dustBuster = DustBuster()

    init(of cards: ConstantTable<Card>, write: @escaping @MainActor (_ line: Int, String) -> Void) {
      cards.observeChanges(on: .main) { [weak self] changes in
        guard let self, let ids = self.ids.applying(changes.difference) else { return }
        let unmoved = zip(self.ids, ids).prefix { $0 == $1 }.count
        let updated = Set(changes.updated)
        for (line, id) in ids.enumerated() where line >= unmoved || updated.contains(id) {
          write(line, cards[id]?.title ?? "")
        }
        for line in ids.count..<max(ids.count, self.ids.count) { write(line, "") }
        self.ids = ids
      }
      .cleaned(by: dustBuster)
    }
  }
}

extension CookbookSnippets {
  // MARK: - Long lists

  @MainActor
  @Test func terminalDrawsOnlyTheLinesOfChangedRows() {
    let cards = VariableTable(["milk", "bread", "tea"].map { Card(id: $0, title: $0) })
    var written: [String] = []
    let lines = Recipes.CardLines(of: cards.constant) { written.append("\($0) \($1)") }

    #expect(written == ["0 milk", "1 bread", "2 tea"])
    written = []
    cards["bread"]?.title = "two loaves"
    #expect(written == ["1 two loaves"])
    written = []
    cards.remove("bread")
    #expect(written == ["1 tea", "2 "])
    written = []
    cards.replaceAll(with: cards.rows.value + [Card(id: "jam", title: "jam")])
    #expect(written == ["2 jam"])
    withExtendedLifetime(lines) {}
  }
}
