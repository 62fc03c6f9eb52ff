import FluxCapacitor
import FluxCapacitorPersistence

extension Dispatcher {
  package enum Sync: DispatchState, Equatable {
    package typealias RelatedStoreType = SyncStore
    package typealias RelatedActionType = SyncAction

    case confirm(Edit)
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
  private let cards = CardStore.instantiate()
  private let confirmed = VariableTable<Card>()

  /// An event for each edit that the server has refused or not received.
  package var failures: Signal<Failure> { sink.signal }
  private let sink = Sink<Failure>()

  package init() {
    unsynced = Constant.combine(confirmed.rows, cards.cards.rows).map { [Edit](from: $0, to: $1) }
  }

  package func reduce(with state: Dispatcher.Sync) {
    switch state {
    case .confirm(let edit): confirmed[id: edit.id] = edit.new
    case .fail(let edit, let error): sink.send(Failure(edit: edit, error: error))
    }
  }
}

extension SyncStore: Persistable {
  package static let archive = Archive([Card].self, named: "server", version: 1)

  package var saved: [Card] { confirmed.rows.value }

  package func restore(_ saved: [Card]) throws {
    try saved.checkNumbers()
    confirmed.replaceAll(with: saved)
  }
}
