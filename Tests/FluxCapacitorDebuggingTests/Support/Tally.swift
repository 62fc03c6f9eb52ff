import FluxCapacitor
import FluxCapacitorDebugging

/// A sum, and something that nobody may see.
enum Tally: DispatchState, Codable {
  typealias RelatedStoreType = TallyStore
  typealias RelatedActionType = TallyAction

  case add(Int)
  case signIn(Password)
}

struct Password: Secret, Codable {
  let text: String
}

struct TallyAction: Actionable {
  typealias DispatchStateType = Tally
}

final class TallyStore: Storable {
  let sum: Constant<Int>
  private let _sum = Variable(0)
  private let password = Variable<Password?>(nil)

  init() {
    sum = Constant(_sum)
  }

  func reduce(with state: Tally) {
    switch state {
    case .add(let number): _sum.value += number
    case .signIn(let password): self.password.value = password
    }
  }
}
