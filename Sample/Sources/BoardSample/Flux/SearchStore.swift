import FluxCapacitor

extension Dispatcher {
  package enum Search: DispatchState, Equatable {
    package typealias RelatedStoreType = SearchStore
    package typealias RelatedActionType = SearchAction

    case show(cardsWith: String)
  }
}

/// Stores the text that the visible cards contain.
package final class SearchStore: Storable {
  package typealias DispatchStateType = Dispatcher.Search

  package let searches = Effects(.latest)

  /// The text, which is empty if all cards are visible.
  package var text: Constant<String> { _text.constant }
  private let _text = Variable("")

  package init() {}

  package func reduce(with state: Dispatcher.Search) {
    switch state {
    case .show(let text): _text.value = text
    }
  }
}
