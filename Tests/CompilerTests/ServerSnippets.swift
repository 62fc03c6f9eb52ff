import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

// The code of the article on servers, and of the doc comments on actions for a dispatcher.

struct Item: Equatable {
  let name: String
}

extension Dispatcher {
  enum Basket: DispatchState {
    typealias RelatedStoreType = BasketStore

    case add(Item)
    case show([Item])
  }
}

final class BasketStore: Storable {
  let effects = Effects(.latest)
  var items: Constant<[Item]> { _items.constant }
  private let _items = Variable<[Item]>([])

  func reduce(with state: Dispatcher.Basket) {
    switch state {
    case .add(let item): _items.value.append(item)
    case .show(let items): _items.value = items
    }
  }
}

extension Dispatcher {
  enum Stock: DispatchState {
    typealias RelatedStoreType = StockStore

    case close
  }
}

final class StockStore: Storable {
  var isOpen: Constant<Bool> { _isOpen.constant }
  private let _isOpen = Variable(true)

  func reduce(with state: Dispatcher.Stock) {
    switch state {
    case .close: _isOpen.value = false
    }
  }
}

typealias BasketAction = Invoker<Dispatcher.Basket>

extension Invoker<Dispatcher.Basket> {
  func add(_ item: Item) { invoke(.add(item)) }
}

struct ShopAPI: Sendable {
  var items: @Sendable () async -> [Item] = { [] }
}

struct ShopAction: Actionable {
  typealias DispatchStateType = Dispatcher.Basket

  let api: ShopAPI
  private var effects: Effects { BasketStore.instantiate().effects }

  init(api: ShopAPI) {
    self.api = api
  }

  func add(_ item: Item) { invoke(.add(item)) }

  func refresh() async {
    await effects.perform { effect in invoke(.show(await api.items()), as: effect) }
  }
}

enum ServerSnippets {
  final class Session: Sendable {
    let dispatcher = Dispatcher()
    let basket: BasketStore

    init() {
      basket = BasketStore.instantiate(on: dispatcher)
    }
  }

  final class Customer: Sendable {
    let dispatcher = Dispatcher()
    let basket: BasketStore
    let shop: DispatcherAction<ShopAction>
    private let dustBuster = DustBuster()

    init(api: ShopAPI) {
      basket = BasketStore.instantiate(on: dispatcher)
      shop = ShopAction(api: api).on(dispatcher)
      withDispatcher(dispatcher) {
        Task { [basket] in
          for await items in basket.items.values { print("\(items.count) items") }
        }
        .cleaned(by: dustBuster)
      }
    }

    func close() async {
      dustBuster.clean()
      await dispatcher.settled()
    }
  }

  static func add(_ item: Item, in session: Session) {
    BasketAction(on: session.dispatcher).add(item)
  }

  static func refresh(_ item: Item, in session: Session, from api: ShopAPI) async {
    let shop = ShopAction(api: api).on(session.dispatcher)
    shop { $0.add(item) }
    await shop { await $0.refresh() }
  }

  static func log(_ session: Session, to file: FileHandle) {
    let logger = DispatchLogger(session.dispatcher, to: file)
    BasketAction(on: session.dispatcher).add(Item(name: "Plutonium"))
    withExtendedLifetime(logger) {}
  }

  static func report() {
    Dispatcher.onUnreachedState = { unreached in
      print(unreached)
    }
  }

  final class Worker: Sendable {
    let dispatcher = Dispatcher()
    let effects = Effects(.serial)

    func close() async {
      effects.cancel()
      await dispatcher.settled()
    }
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct ServerSnippetTests {
  @Test func sessionsObserveAStoreOfTheSharedDispatcher() {
    let session = ServerSnippets.Session()
    let stock = StockStore.instantiate()
    let basket = BasketStore.instantiate(on: session.dispatcher)
    let canOrder = Constant.combine(basket.items, stock.isOpen).map { !$0.isEmpty && $1 }
    let values = ValueRecorder(canOrder)

    BasketAction(on: session.dispatcher).add(Item(name: "Plutonium"))
    Invoker<Dispatcher.Stock>().invoke(.close)

    #expect(values.values == [false, true, false])
  }

  @Test func sessionsHaveSeparateBaskets() async {
    let sessions = [ServerSnippets.Session(), ServerSnippets.Session()]
    let item = Item(name: "Plutonium")

    ServerSnippets.add(item, in: sessions[0])
    await ServerSnippets.refresh(item, in: sessions[1], from: ShopAPI { [item, item, item] })

    #expect(sessions.map { $0.basket.items.value.count } == [1, 3])
  }

  @Test func customerClosesInOrder() async {
    let customer = ServerSnippets.Customer(api: ShopAPI())
    customer.shop { $0.add(Item(name: "Plutonium")) }

    await customer.close()

    #expect(customer.basket.items.value.count == 1)
  }

  #if DEBUG
    @Test func stateThatReachesNoStoreWritesTheLineOfTheArticle() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let session = ServerSnippets.Session()
        let state = Dispatcher.Basket.add(Item(name: "Plutonium"))
        Dispatcher.shared.dispatch(state, fileID: "Shop/Handler.swift", line: 12)
        withExtendedLifetime(session) {}
      }

      let line = """
        Shop/Handler.swift:12: A FluxCapacitor.Dispatcher.Basket has reached no store. A live CompilerTests.BasketStore is registered with a different dispatcher.
        """
      let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(printed.contains(line))
    }
  #endif

  @Test func settledAdvancesAClock() async {
    let clock = ManualClock()
    let store = BasketStore.instantiate()
    let effects = Effects(.latest)

    effects.run(after: .milliseconds(300), clock: clock) { effect in
      BasketAction().invoke(.show([Item(name: "Plutonium")]), as: effect)
    }
    await Dispatcher.shared.settled(advancing: clock)
    #expect(store.items.value.count == 1)
  }
}
