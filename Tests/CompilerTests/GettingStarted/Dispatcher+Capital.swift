import FluxCapacitor

extension Dispatcher {
  enum Capital: DispatchState {
    typealias RelatedStoreType = CapitalStore
    typealias RelatedActionType = CapitalAction

    case loading(country: String)
    case loaded(capital: String)
    case failed(reason: String)
  }
}
