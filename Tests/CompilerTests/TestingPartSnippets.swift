import FluxCapacitor
import FluxCapacitorTesting
import Testing

/// The example of the article on testing that states the changed part of a value.
@Suite(.isolatedDispatcher)
struct TestingPartSnippets {
  struct Card: Equatable {
    var title: String
  }

  struct Board: Equatable {
    var cards: [String: Card]
  }

  @Test func changeStatesTheChangedPartOfAValue() {
    let tester = StoreTester(BoardStore.self)
    tester.invoke(.rename("milk", "Oat milk")) {
      Change(\.board) { $0.cards["milk"]?.title = "Oat milk" }
    }
    tester.invoke(.rename("milk", "Milk")) {
      Change.named("board", as: Board.self) { $0.cards["milk"]?.title = "Milk" }
    }
  }
}

extension Dispatcher {
  fileprivate enum Board: DispatchState {
    typealias RelatedStoreType = BoardStore

    case rename(String, String)
  }
}

private final class BoardStore: Storable {
  var board: Constant<TestingPartSnippets.Board> { _board.constant }
  private let _board = Variable(
    TestingPartSnippets.Board(cards: ["milk": TestingPartSnippets.Card(title: "Milk")])
  )

  func reduce(with state: Dispatcher.Board) {
    switch state {
    case .rename(let id, let title): _board.value.cards[id]?.title = title
    }
  }
}
