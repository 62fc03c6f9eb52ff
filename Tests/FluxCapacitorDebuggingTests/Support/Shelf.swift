import FluxCapacitor
import FluxCapacitorDebugging

/// A row in the lists of the explorer's tests.
struct Repository: Identifiable, Equatable {
  let id: Int
  var name: String
  var stars = 0

  static func numbered(_ number: Int) -> Repository {
    Repository(id: number, name: "octocat/\(number)", stars: number)
  }
}

/// States for a store with values of several forms.
enum Shelf: DispatchState {
  typealias RelatedStoreType = ShelfStore

  case put([Repository])
  case rate(Int, stars: Int)
  case name(String, for: String)
  case say(String)
  case signIn(Password)
}

/// Invokes a state with numbered repositories.
func put(_ numbers: some Sequence<Int>) {
  Invoker<Shelf>().invoke(.put(numbers.map(Repository.numbered)))
}

/// Invokes a state for each text.
func say(_ texts: String...) {
  for text in texts { Invoker<Shelf>().invoke(.say(text)) }
}

final class ShelfStore: Storable {
  let repositories = Variable<[Repository]>([])
  let names = Variable<[String: String]>([:])
  let note = Variable("")
  let password = Variable<Password?>(nil)

  func reduce(with state: Shelf) {
    switch state {
    case .put(let repositories): self.repositories.value = repositories
    case .rate(let place, let stars): repositories.value[place].stars = stars
    case .name(let name, for: let key): names.value[key] = name
    case .say(let text): note.value = text
    case .signIn(let password): self.password.value = password
    }
  }
}
