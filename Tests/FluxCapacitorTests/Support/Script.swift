import FluxCapacitor

extension Dispatcher {
  /// A state with a closure that `ScriptStore` runs in `reduce`.
  enum Script: DispatchState {
    typealias RelatedStoreType = ScriptStore
    typealias RelatedActionType = ScriptAction

    case run(@Sendable (ScriptStore) -> Void)
  }
}

final class ScriptStore: Storable {
  let first = Variable(0)
  let second = Variable(0)

  func reduce(with state: Dispatcher.Script) {
    switch state {
    case .run(let body): body(self)
    }
  }
}

struct ScriptAction: Actionable {
  typealias DispatchStateType = Dispatcher.Script
}

extension Dispatcher {
  /// Dispatches a state that makes `ScriptStore` run the closure in `reduce`.
  func reduce(_ body: @escaping @Sendable (ScriptStore) -> Void) {
    dispatch(Script.run(body))
  }
}
