import FluxCapacitor
import FluxCapacitorPersistence

extension Dispatcher {
  enum Counter: DispatchState {
    typealias RelatedStoreType = CounterStore
    typealias RelatedActionType = CounterAction

    case add(Int)
  }
}

struct CounterAction: Actionable {
  typealias DispatchStateType = Dispatcher.Counter
}

/// A store that lets `CounterStore` reduce each state first.
final class WaitingStore: Storable {
  func reduce(with _: Dispatcher.Counter) { waitFor(CounterStore.self) }
}

final class CounterStore: Storable, Persistable {
  static let archive = Archive(Int.self, named: "counter", version: 1)

  let count = Variable(0)

  var saved: Int { count.value }

  func restore(_ saved: Int) { count.value = saved }

  func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let number): count.value += number
    }
  }
}

/// A store whose archive has the name of another store's archive, except for case.
final class LoudNotesStore: Persistable {
  static let archive = Archive(Int.self, named: "NOTES", version: 1)

  let count = Variable(0)

  var saved: Int { count.value }

  func restore(_ saved: Int) { count.value = saved }

  func reduce(with _: Dispatcher.LoudNotes) {}
}

extension Dispatcher {
  enum LoudNotes: DispatchState {
    typealias RelatedStoreType = LoudNotesStore
    typealias RelatedActionType = LoudNotesAction
  }
}

struct LoudNotesAction: Actionable {
  typealias DispatchStateType = Dispatcher.LoudNotes
}
