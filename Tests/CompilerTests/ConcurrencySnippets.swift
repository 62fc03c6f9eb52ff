import FluxCapacitor
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

struct ConcurrencySnippets {
  @MainActor @Test func observerOnMainUpdatesAMainActorView() {
    withDispatcher(Dispatcher()) {
      let view = CounterScreen()

      CounterAction().increment()

      #expect(view.title == "Count: 1")
    }
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

  @Test func combinedConstantComputesItsValueFromAllSources() {
    let first = Variable("Emmett")
    let last = Variable("Brown")
    let name = Constant.combine(first, last).map { "\($0) \($1)" }

    #expect(name.value == "Emmett Brown")
  }
}
