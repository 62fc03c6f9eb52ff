import Dispatch
import FluxCapacitor
import FluxCapacitorTesting
import Testing

@MainActor
final class CounterScreen {
  private(set) var title = ""
  private let store = CounterStore.instantiate()
  private let dustBuster = DustBuster()

  init() {
    store.count
      .observe(on: .main) { [weak self] count in self?.title = "Count: \(count)" }
      .cleaned(by: dustBuster)
  }
}

extension Dispatcher {
  fileprivate enum Names: DispatchState {
    typealias RelatedStoreType = NameStore

    case setFirst(String)
    case setLast(String)
  }
}

private final class NameStore: Storable {
  var first: Constant<String> { _first.constant }
  var last: Constant<String> { _last.constant }
  private let _first = Variable("Marty")
  private let _last = Variable("McFly")

  func reduce(with state: Dispatcher.Names) {
    switch state {
    case .setFirst(let first): _first.value = first
    case .setLast(let last): _last.value = last
    }
  }
}

extension Dispatcher {
  fileprivate enum Sight: DispatchState {
    typealias RelatedStoreType = SeeingStore

    case see
  }
}

private final class SeeingStore: Storable {
  let inInit = ObjectIdentifier(Dispatcher.shared)
  let inReduce = Variable<ObjectIdentifier?>(nil)

  func reduce(with _: Dispatcher.Sight) { inReduce.value = ObjectIdentifier(Dispatcher.shared) }
}

extension Dispatcher {
  fileprivate enum Rate: DispatchState {
    typealias RelatedStoreType = RateStore

    case show(Double)
  }
}

private final class RateStore: Storable {
  let shown = Variable(0.0)

  func reduce(with state: Dispatcher.Rate) {
    switch state {
    case .show(let rate): shown.value = rate
    }
  }
}

private typealias RateAction = Invoker<Dispatcher.Rate>

extension Dispatcher {
  enum Route: DispatchState {
    typealias RelatedStoreType = NoStore<Self>

    case showSettings
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct ConcurrencySnippets {
  @Test func observerInvokesItsStateInItsOwnSession() {
    struct Session {
      let dispatcher = Dispatcher()
    }
    let session = Session()
    let store = RateStore.instantiate(on: session.dispatcher)
    let rates = Variable(0.9)

    let dust = withDispatcher(session.dispatcher) {
      rates.observe { rate in RateAction().invoke(.show(rate)) }  // always in this session
    }
    rates.value = 1.1
    dust.clean()

    #expect(store.shown.value == 1.1)
  }

  @Test func stateWithoutAStoreReachesItsObserver() {
    let dustBuster = DustBuster()
    let dust = Dispatcher.shared.intercept(changes: false) { event in
      print("\(type(of: event.state)) took \(event.duration)")
    }
    Dispatcher.shared.observe(Dispatcher.Route.self) { state in
      print(state)  // showSettings
    }
    .cleaned(by: dustBuster)
    Invoker<Dispatcher.Route>().invoke(.showSettings)
    dust.clean()
  }

  @MainActor @Test func observerOnMainUpdatesAMainActorView() {
    let view = CounterScreen()

    CounterAction().increment()

    #expect(view.title == "Count: 1")
  }

  @Test func transactionDeliversOneChangeWithAllWrittenValues() {
    let log = Variable<[String]>([])
    let first = Variable("Marty")
    let last = Variable("McFly")
    let dust = last.observe { log.value.append("\(first.value) \($0)") }

    Dispatcher.shared.transaction {
      first.value = "Emmett"
      last.value = "Lathrop"
      last.value = "Brown"
    }  // Observers of `last` are called once, with "Brown", and read "Emmett" from `first`.
    dust.clean()

    #expect(log.value == ["Marty McFly", "Emmett Brown"])
  }

  @Test func transactionDeliversOneChangeOfSeveralDispatches() {
    let log = Variable<[String]>([])
    let store = NameStore.instantiate()
    let names = Invoker<Dispatcher.Names>()
    let dust = store.last.observe { log.value.append("\(store.first.value) \($0)") }

    Dispatcher.shared.transaction {
      names.invoke(.setFirst("Emmett"))
      names.invoke(.setLast("Lathrop"))
      names.invoke(.setLast("Brown"))
    }  // Observers of `last` are called once, with "Brown", and read "Emmett" from `first`.
    dust.clean()

    let (first, last) = Dispatcher.shared.read { (store.first.value, store.last.value) }
    #expect(log.value == ["Marty McFly", "Emmett Brown"])
    #expect(first == "Emmett")
    #expect(last == "Brown")
  }

  @Test func codeSeesTheDispatcherInWhichItWasHandedOver() async {
    let session = Dispatcher()
    let seen = Variable<[String: ObjectIdentifier]>([:])
    let note = { @Sendable in seen.value[$0] = ObjectIdentifier(Dispatcher.shared) }
    let store = SeeingStore.instantiate(on: session)
    let dustBuster = DustBuster()
    store.inReduce.observe(ignoreFirst: true) { _ in note("current") }.cleaned(by: dustBuster)
    let queue = DispatchQueue(label: "Queue")
    store.inReduce.observe(on: .queue(queue), ignoreFirst: true) { _ in note("queue") }
      .cleaned(by: dustBuster)
    session.intercept { _ in note("interceptor") }.cleaned(by: dustBuster)

    Invoker<Dispatcher.Sight>(on: session).invoke(.see)
    await Dispatcher.shared.settled()

    let own = ObjectIdentifier(Dispatcher.shared)
    #expect(store.inInit == ObjectIdentifier(session))
    #expect(store.inReduce.value == ObjectIdentifier(session))
    #expect(seen.value == ["current": own, "queue": own, "interceptor": own])
  }

  @Test func combinedConstantComputesItsValueFromAllSources() {
    let first = Variable("Emmett")
    let last = Variable("Brown")
    let name = Constant.combine(first, last).map { "\($0) \($1)" }

    #expect(name.value == "Emmett Brown")
  }
}
