import FluxCapacitor

extension Dispatcher {
  /// The states that edit the cards. They need no action of their own: see ``Invoker``.
  package enum Cards: DispatchState, Equatable {
    package typealias RelatedStoreType = CardStore

    case add(title: String)
    case rename(Card.ID, to: String)
    case setDone(Card.ID, Bool)
    case remove(Card.ID)
    case undo
    case redo

    /// Restores the server's version of a card, because the server has refused the edit. The user can undo this.
    case rollBack(Edit)

    /// Shows the server's cards that are newer than the board's, because the board has lost their edits.
    case takeBack([ConfirmedCard])

    /// Leaves out the numbers of lost cards: those through a number, and a count of further numbers.
    case skipNumbers(through: Card.ID, andNext: Int)
  }
}
