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

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct ConcurrencySnippets {
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

  @Test func codeSeesTheSharedDispatcherOfItsThreadOrTask() async {
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
    let ofProcess = await Task.detached { ObjectIdentifier(Dispatcher.shared) }.value
    #expect(own != ofProcess)
    #expect(store.inInit == ObjectIdentifier(session))
    #expect(store.inReduce.value == own)
    #expect(seen.value == ["current": own, "queue": ofProcess, "interceptor": own])
  }

  @Test func combinedConstantComputesItsValueFromAllSources() {
    let first = Variable("Emmett")
    let last = Variable("Brown")
    let name = Constant.combine(first, last).map { "\($0) \($1)" }

    #expect(name.value == "Emmett Brown")
  }
}
