import FluxCapacitor
import FluxCapacitorTestSupport

// MARK: - Two more stores for the counter's states

final class AuditStore: Storable {
  let onReduce = Variable<@Sendable () -> Void>({})

  func reduce(with _: Dispatcher.Counter) { onReduce.value() }
}

final class LedgerStore: Storable {
  let onReduce = Variable<@Sendable () -> Void>({})

  func reduce(with _: Dispatcher.Counter) { onReduce.value() }
}

// MARK: - State types with the same name

enum Place<Tag> {
  enum State: DispatchState {
    typealias RelatedStoreType = Store

    case rename(String)
  }

  final class Store: Storable {
    let name = Variable("")

    func reduce(with state: State) {
      switch state {
      case .rename(let name): self.name.value = name
      }
    }
  }
}

typealias Home = Place<Int>
typealias Work = Place<String>

// MARK: - A subclass

class ParentStore: Storable, @unchecked Sendable {
  enum State: DispatchState {
    typealias RelatedStoreType = ParentStore

    case say(String)
  }

  let said = Variable("")

  required init() {}

  func reduce(with state: State) {
    switch state {
    case .say(let words): said.value = words
    }
  }
}

final class LoudStore: ParentStore, @unchecked Sendable {
  override func reduce(with state: State) {
    super.reduce(with: state)
    said.value = said.value.uppercased()
  }
}

// MARK: - Stores that instantiate or invoke in their initializer

final class NestedStore: Storable {
  enum State: DispatchState {
    typealias RelatedStoreType = NestedStore
  }

  let counter = CounterStore.instantiate()

  func reduce(with _: State) {}
}

final class EagerStore: Storable {
  let count = Variable(0)

  init() {
    CounterAction().invoke(.add(1))
  }

  func reduce(with state: Dispatcher.Counter) {
    if case .add(let amount) = state { count.value += amount }
  }
}

// MARK: - A store whose `deinit` instantiates another store

final class ReturningStore: Storable {
  deinit { _ = AuditStore.instantiate() }

  func reduce(with _: Dispatcher.Counter) {}
}
