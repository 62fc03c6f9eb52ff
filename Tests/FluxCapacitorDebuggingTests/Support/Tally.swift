import FluxCapacitor
import FluxCapacitorDebugging

/// States for a store with a sum and a secret password.
enum Tally: DispatchState, Codable {
  typealias RelatedStoreType = TallyStore

  case add(Int)
  case signIn(Password)
  case say(String)
}

struct Password: Secret, Codable {
  let text: String
}

final class TallyStore: Storable {
  var sum: Constant<Int> { _sum.constant }
  private let _sum = Variable(0)
  private let password = Variable<Password?>(nil)

  func reduce(with state: Tally) {
    switch state {
    case .add(let number): _sum.value += number
    case .signIn(let password): self.password.value = password
    case .say: break
    }
  }
}

/// States for a store with two variables.
enum Couple: DispatchState {
  typealias RelatedStoreType = CoupleStore

  case first(Int)
  case second(Int)
}

final class CoupleStore: Storable {
  private let first = Variable(0)
  private let second = Variable(0)

  func reduce(with state: Couple) {
    switch state {
    case .first(let number): first.value = number
    case .second(let number): second.value = number
    }
  }
}
