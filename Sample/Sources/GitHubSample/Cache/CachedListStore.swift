import FluxCapacitor
import FluxCapacitorPersistence

/// Stores the last list. A keeper saves the store to a file, and restores the store for `--cached`.
package final class CachedListStore: Storable {
  package typealias DispatchStateType = Dispatcher.CachedList

  /// The last list, or nil if no list has been saved yet.
  package var list: Constant<FetchedList?> { _list.constant }
  private let _list = Variable<FetchedList?>(nil)

  package init() {
  }

  package func reduce(with state: Dispatcher.CachedList) {
    switch state {
    case .replace(let list): _list.value = list
    }
  }
}

extension CachedListStore: Persistable {
  /// The file `list.json`. If a change of ``FetchedList`` makes older files unreadable, increase the
  /// version.
  package static let archive = Archive(FetchedList?.self, named: "list", version: 1)

  package var saved: FetchedList? { _list.value }

  package func restore(_ saved: FetchedList?) {
    _list.value = saved
  }
}
