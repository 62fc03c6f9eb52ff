import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The code of the article on four Flux libraries, with the store that the code uses.

extension Dispatcher {
  enum Visits: DispatchState {
    typealias RelatedStoreType = VisitsStore
    typealias RelatedActionType = VisitsAction

    case fetched(Int, page: String)
  }
}

struct VisitsAction: Actionable {
  typealias DispatchStateType = Dispatcher.Visits

  private let service = VisitsService.shared

  func fetch(_ page: String) async {
    invoke(.fetched(await service.visits(page), page: page))
  }
}

final class VisitsStore: Queryable {
  let queries = Queries<String>()
  var counts: Constant<[String: Int]> { _counts.constant }
  private let _counts = Variable<[String: Int]>([:])
  private let requests = Effects(.concurrent(.max))

  func activeQueriesDidChange(from old: Set<String>, to new: Set<String>) {
    for page in new.subtracting(old) where counts.value[page] == nil {
      requests.run { _ in await VisitsAction().fetch(page) }
    }
  }

  func reduce(with state: Dispatcher.Visits) {
    switch state {
    case .fetched(let count, let page): _counts.value[page] = count
    }
  }
}

struct VisitsService: Sendable {
  @TaskLocal static var shared = VisitsService { _ in 0 }

  let visits: @Sendable (_ page: String) async -> Int
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct MigrationFromOtherFluxLibraries {
  @Test func taskLocalServiceReplacesTheServiceThatAStoreUses() async {
    await VisitsService.$shared.withValue(VisitsService { _ in 41 }) {
      let dustBuster = DustBuster()
      let store = VisitsStore.instantiate()
      store.query("home").cleaned(by: dustBuster)
      await Dispatcher.shared.settled()
      #expect(store.counts.value == ["home": 41])
    }
  }

  @Test func queryableStoreFetchesAPageOnceForSeveralQueries() async {
    let pages = Variable<[String]>([])
    let service = VisitsService { page in
      pages.value.append(page)
      return 1
    }
    await VisitsService.$shared.withValue(service) {
      let store = VisitsStore.instantiate()
      let first = store.query("home")
      let second = store.query("home")
      await Dispatcher.shared.settled()
      first.clean()
      second.clean()
      let third = store.query("home")
      await Dispatcher.shared.settled()

      #expect(pages.value == ["home"])
      #expect(store.counts.value == ["home": 1])
      third.clean()
    }
  }

  @Test func freedQueryableStoreCancelsItsRunningRequests() async {
    let gate = Gate()
    let wasCancelled = Variable(false)
    let service = VisitsService { _ in
      await gate.pass()
      wasCancelled.value = Task.isCancelled
      return 1
    }
    await VisitsService.$shared.withValue(service) {
      var store: VisitsStore? = VisitsStore.instantiate()
      _ = store?.query("home")
      await gate.reached()
      store = nil
      gate.open()
      await Dispatcher.shared.settled()
    }

    #expect(wasCancelled.value)
  }
}
