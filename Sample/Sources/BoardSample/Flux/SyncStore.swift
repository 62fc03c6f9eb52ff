import FluxCapacitor
import FluxCapacitorPersistence

extension Dispatcher {
  package enum Sync: DispatchState, Equatable {
    package typealias RelatedStoreType = SyncStore
    package typealias RelatedActionType = SyncAction

    /// The server has received an edit, which the board sent when the cards had a revision.
    case confirm(Edit, revision: Int)
    case fail(Edit, ServerError)
  }
}

/// Stores the cards as the server knows them, and derives the edits that the server doesn't know yet.
///
/// No list of waiting edits is stored, so such a list can't contradict the cards.
package final class SyncStore: Storable {
  package typealias DispatchStateType = Dispatcher.Sync

  package struct Failure: Sendable {
    package let edit: Edit
    package let error: ServerError
  }

  // While a sync runs, the next sync waits for its end. It then also sends the newest edits.
  package let syncs = Effects(.newestWaiting)

  /// The edits that lead from the server's cards to the board's cards.
  package let unsynced: Constant<[Edit]>
  let cards = CardStore.instantiate()

  package var confirmed: ConstantTable<ConfirmedCard> { _confirmed.constant }
  private let _confirmed = VariableTable<ConfirmedCard>()

  /// An event for each edit that the server has refused or not received.
  package var failures: Signal<Failure> { sink.signal }
  private let sink = Sink<Failure>()

  package init() {
    unsynced = Constant.combine(_confirmed.rows, cards.cards.rows).map {
      [Edit](from: $0.map(\.card), to: $1)
    }
  }

  package func reduce(with state: Dispatcher.Sync) {
    switch state {
    case .confirm(let edit, let revision):
      _confirmed[id: edit.id] = edit.new.map { ConfirmedCard(card: $0, revision: revision) }
    case .fail(let edit, let error): sink.send(Failure(edit: edit, error: error))
    }
  }
}

extension SyncStore: Persistable {
  package static let archive = Archive([ConfirmedCard].self, named: "server", version: 2)
    .migrating(from: 1, [Card].self) { $0.map { ConfirmedCard(card: $0, revision: 0) } }

  package var saved: [ConfirmedCard] { _confirmed.rows.value }

  package func restore(_ saved: [ConfirmedCard]) throws {
    try saved.map(\.card).checkNumbers()
    for card in saved { try InvalidCards.check(revision: card.revision) }
    _confirmed.replaceAll(with: saved)
  }
}
