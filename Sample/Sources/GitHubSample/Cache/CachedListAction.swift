import FluxCapacitor

/// Replaces the last list by a newer list.
package struct CachedListAction: Actionable {
  package typealias DispatchStateType = Dispatcher.CachedList

  package init() {}

  package func replace(with list: FetchedList) {
    invoke(.replace(list))
  }
}
