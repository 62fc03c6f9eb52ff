import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The code of MIGRATION.md for WordPressFlux, with the store that the code uses.

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

  func fetch(_ page: String, as effect: Effect) async {
    invoke(.fetched(await service.visits(page), page: page), as: effect)
  }
}

final class VisitsStore: Queryable {
  let queries = Queries<String>()
  var counts: Constant<[String: Int]> { _counts.constant }
  private let _counts = Variable<[String: Int]>([:])
  private let action = VisitsAction()
  private let requests = KeyedEffects<String>(.first)

  func activeQueriesDidChange(from old: Set<String>, to new: Set<String>) {
    for page in new.subtracting(old) where counts.value[page] == nil {
      requests[page].run { [action] effect in await action.fetch(page, as: effect) }
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

  @Test func queryThatReturnsDuringARequestMakesNoSecondRequest() async {
    let pages = Variable<[String]>([])
    let gate = Gate()
    let service = VisitsService { page in
      pages.value.append(page)
      await gate.pass()
      return pages.value.count
    }
    let store = VisitsService.$shared.withValue(service) { VisitsStore.instantiate() }
    // The store keeps its service, whoever changes the queries.
    store.query("home").clean()
    let second = store.query("home")
    gate.open()
    await Dispatcher.shared.settled()

    #expect(pages.value == ["home"])
    #expect(store.counts.value == ["home": 1])
    second.clean()
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
