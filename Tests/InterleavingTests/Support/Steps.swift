import FluxCapacitor

/// A state that says itself what each store does with it.
enum Step: DispatchState {
  typealias RelatedStoreType = FirstStore
  typealias RelatedActionType = StepAction

  case run(@Sendable (any StepStore) -> Void)

  /// Has each store put its name and a number into a log.
  static func log(_ number: Int, in log: Trace<String>) -> Step {
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

  /// The same as `waitFor`, for `any StepStore`.
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
