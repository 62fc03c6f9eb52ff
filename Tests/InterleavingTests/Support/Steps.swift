import FluxCapacitor
import FluxCapacitorTestSupport

/// A state with a closure. Each store reduces the state by calling the closure.
enum Step: DispatchState {
  typealias RelatedStoreType = FirstStore
  typealias RelatedActionType = StepAction

  case run(@Sendable (any StepStore) -> Void)

  /// Returns a state that makes each store append its name and a number to a log.
  static func log(_ number: Int, in log: Log<String>) -> Step {
    .run { log.append("\($0.name) \(number)") }
  }
}

struct StepAction: Actionable {
  typealias DispatchStateType = Step
}

protocol StepStore: Storable where DispatchStateType == Step {
  var name: String { get }
}

extension StepStore {
  func reduce(with state: Step) {
    switch state {
    case .run(let body): body(self)
    }
  }

  /// Calls `waitFor`. Unlike `waitFor`, this method is available on `any StepStore`.
  func wait<S: StepStore>(for type: S.Type) { waitFor(type) }
}

final class FirstStore: StepStore {
  typealias DispatchStateType = Step

  let name = "first"
  let number = Variable(0)
}

final class SecondStore: StepStore {
  typealias DispatchStateType = Step

  let name = "second"
  let number = Variable(0)
}
