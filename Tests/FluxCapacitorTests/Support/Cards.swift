import FluxCapacitor

struct Card: Identifiable, Equatable, Sendable {
  let id: String
  var title: String
  var tags: [Int] = []

  init(_ id: String, _ title: String? = nil) {
    self.id = id
    self.title = title ?? id.capitalized
  }
}

extension Dispatcher {
  /// A state with a closure that changes the table of a `CardStore`.
  enum Cards: DispatchState {
    typealias RelatedStoreType = CardStore

    case change(@Sendable (VariableTable<Card>) -> Void)
  }

  /// Dispatches a state that changes the table of the `CardStore`.
  func changeCards(_ body: @escaping @Sendable (VariableTable<Card>) -> Void) {
    dispatch(Cards.change(body))
  }
}

final class CardStore: Storable {
  var cards: ConstantTable<Card> { _cards.constant }
  private let _cards = VariableTable<Card>()

  func reduce(with state: Dispatcher.Cards) {
    switch state {
    case .change(let body): body(_cards)
    }
  }
}

/// Returns a table with a card for each letter, such as "abc".
func table(_ ids: String) -> VariableTable<Card> { VariableTable(ids.map { Card(String($0)) }) }

extension PrimitiveTable where Row == Card {
  /// The ids of all cards as one string. All ids must have one letter.
  var letters: String { rows.value.map(\.id).joined() }
}
