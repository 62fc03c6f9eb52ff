import Dispatch
import FluxCapacitor

// The code of the article on Swift 6. `LanguageModeArticleTests` compiles this file in each language mode,
// first unchanged, and then with parts left out.

nonisolated struct Badge: Hashable {
  let name: String
  var title: String { name.uppercased() }
}

extension Dispatcher {
  enum Album: DispatchState {
    typealias RelatedStoreType = AlbumStore
    typealias RelatedActionType = AlbumAction

    case award(Badge)
    case clear
  }
}

final class AlbumStore: Storable {
  var badges: Constant<Set<Badge>> { _badges.constant }
  var headline: Constant<String> { _headline.constant }
  private let _badges = Variable<Set<Badge>>([])
  private let _headline = Variable("")

  func reduce(with state: Dispatcher.Album) {
    switch state {
    case .award(let badge):
      _badges.value.insert(badge)
      _headline.value = badge.title
    case .clear:
      _badges.value.removeAll()
    }
  }
}

protocol AlbumService: Sendable {
  func badge(of login: String) async throws -> Badge
}

final class AlbumAction: Actionable {
  typealias DispatchStateType = Dispatcher.Album

  private let service: any AlbumService

  init(service: any AlbumService) {
    self.service = service
  }

  func fetch(_ login: String) async throws {
    invoke(.award(try await service.badge(of: login)))
  }
}

@MainActor
final class AlbumView {
  private(set) var title = ""
  private let store = AlbumStore.instantiate()
  private let dustBuster = DustBuster()

  init() {
    store.headline
      .observe(on: .main) { [weak self] headline in self?.title = headline }
      .cleaned(by: dustBuster)
  }
}

class TallyStore: Storable, @unchecked Sendable {
  let awards = Variable(0)

  required init() {}

  func reduce(with state: Dispatcher.Album) {
    awards.value += 1
  }
}

nonisolated final class DoubleTallyStore: TallyStore, @unchecked Sendable {
  override func reduce(with state: Dispatcher.Album) {
    super.reduce(with: state)
    awards.value += 1
  }
}

final class QueueService {
  private let queue = DispatchQueue(label: "QueueService")

  func fetch(completion: @escaping @Sendable (Result<Badge, any Error>) -> Void) {
    queue.async { completion(.success(Badge(name: "first"))) }
  }
}

final class Shelf {
  private(set) var names: [String] = []

  func put(_ name: String) {
    names.append(name)
  }
}

@MainActor
final class ShelfAction: Actionable {
  typealias DispatchStateType = Dispatcher.Album

  private let shelf = Shelf()

  func award(_ badge: Badge) {
    shelf.put(badge.name)
    invoke(.award(badge))
  }
}
