import FluxCapacitor
import FluxCapacitorTestSupport

/// A state with a closure. Each store reduces the state by calling the closure.
enum Step: DispatchState {
  typealias RelatedStoreType = FirstStore

  case run(@Sendable (any StepStore) -> Void)

  /// Returns a state that makes each store append its name and a number to a log.
  static func log(_ number: Int, in log: Log<String>) -> Step {
    .run { log.append("\($0.name) \(number)") }
  }
}

func dispatch(_ step: Step) { Dispatcher.shared.dispatch(step) }

/// Dispatches a state that calls a closure with each store.
func dispatch(_ reduce: @escaping @Sendable (any StepStore) -> Void) { dispatch(.run(reduce)) }

protocol StepStore: Storable where DispatchStateType == Step {
  var name: String { get }
}

extension StepStore {
  func reduce(with state: Step) {
    switch state {
    case .run(let body): body(self)
    }
  }
}

final class FirstStore: StepStore {
  typealias DispatchStateType = Step

  let name = "first"
  let number = Variable(0)
}

final class SecondStore: StepStore {
  typealias DispatchStateType = Step

  let name = "second"
}
