import FluxCapacitor

// Code of the doc comments on tables. This code only needs to compile.

struct Card: Identifiable, Equatable {
  let id: String
  var title: String
}

extension Dispatcher {
  enum Cards: DispatchState {
    typealias RelatedStoreType = CardStore

    case add(Card)
    case rename(Card.ID, to: String)
    case remove(Card.ID)
    case show([Card])
  }
}

final class CardStore: Storable {
  var cards: ConstantTable<Card> { _cards.constant }
  private let _cards = VariableTable<Card>()

  func reduce(with state: Dispatcher.Cards) {
    switch state {
    case .add(let card): _cards.append(card)
    case .rename(let id, let title): _cards[id: id]?.title = title
    case .remove(let id): _cards.remove(id: id)
    case .show(let cards): _cards.replaceAll(with: cards)
    }
  }
}

enum TableSnippets {
  static func table() {
    let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
    let dust = cards.row(id: "milk").observe { print($0?.title ?? "No card") }  // Buy milk
    cards[id: "milk"]?.title = "Buy oat milk"  // Buy oat milk
    cards.append(Card(id: "bread", title: "Buy bread"))
    cards.remove(id: "milk")  // No card
    dust.clean()
  }

  static func row() {
    let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
    let title = cards.row(id: "milk").map { $0?.title ?? "" }
    print(title.value)  // Buy milk
  }

  static func ids() {
    let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
    let dust = cards.ids.observe { print($0) }  // ["milk"]
    cards.append(Card(id: "bread", title: "Buy bread"))  // ["milk", "bread"]
    cards[id: "bread"]?.title = "Buy two loaves"
    dust.clean()
  }

  static func assigning() {
    let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
    cards[id: "milk"]?.title += "!"
    cards[id: "bread"] = Card(id: "bread", title: "Buy bread")
    cards[id: "milk"] = nil
    print(cards.ids.value)  // ["bread"]
  }

  static func replacing() {
    let milk = Card(id: "milk", title: "Buy milk")
    let cards = VariableTable([milk])
    let dust = cards.row(id: "milk").observe { print($0?.title ?? "No card") }  // Buy milk
    cards.replaceAll(with: [Card(id: "bread", title: "Buy bread"), milk])
    dust.clean()
  }

  @MainActor
  final class ListView {
    private var ids: [String] = []

    init(cards: ConstantTable<Card>) {
      cards.observeChanges(duringScopeOf: self, on: .main) { [weak self] changes in
        guard let self else { return }
        ids = ids.applying(changes.difference) ?? []
      }
    }
  }

  static func changes() {
    let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
    let dust = cards.observeChanges { changes in
      print(changes.difference.count, changes.updated)
    }  // 1 []
    cards[id: "milk"]?.title = "Buy oat milk"  // 0 ["milk"]
    dust.clean()
  }
}
