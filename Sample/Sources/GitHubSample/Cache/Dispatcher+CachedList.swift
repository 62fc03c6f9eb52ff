import FluxCapacitor

extension Dispatcher {
  /// The states of the last list.
  package enum CachedList: DispatchState, Equatable {
    package typealias RelatedStoreType = CachedListStore
    package typealias RelatedActionType = CachedListAction

    case replace(FetchedList)
  }
}
