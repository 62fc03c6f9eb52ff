import FluxCapacitor
import Observation

// Code of the doc comments on variables, signals, stores and `DustBuster`. This code only needs to compile.

extension Dispatcher {
  enum Price: DispatchState {
    typealias RelatedStoreType = ValueSnippets.PriceStore
    typealias RelatedActionType = PriceAction

    case of(_ product: String, Int)
  }
}

struct PriceAction: Actionable {
  typealias DispatchStateType = Dispatcher.Price
}

enum ValueSnippets {
  static func dispatcher() {
    let count = withDispatcher(Dispatcher()) {
      let store = CounterStore.instantiate()
      CounterAction().invoke(.add(2))
      return store.count.value
    }
    print(count)  // 2
  }

  static func dispatch() {
    let store = CounterStore.instantiate()
    Dispatcher.shared.dispatch(Dispatcher.Counter.add(2))
    print(store.count.value)  // 2
  }

  static func clear() {
    let old = CounterStore.instantiate()
    old.clear()
    let new = CounterStore.instantiate()
    print(new === old)  // false
  }

  static func dispatcherOfAnAsynchronousOperation() async {
    let count = await withDispatcher(Dispatcher()) {
      let store = CounterStore.instantiate()
      await Task { CounterAction().invoke(.add(2)) }.value
      return store.count.value
    }
    print(count)  // 2
  }

  static func dust() {
    let counter = Variable(0)
    let dust = counter.observe { print($0) }
    counter.value = 1
    dust.clean()
  }

  final class CounterView: Sendable {
    private let dustBuster = DustBuster()

    init(counter: Constant<Int>) {
      counter
        .observe { print("The counter stands at \($0).") }
        .cleaned(by: dustBuster)
    }
  }

  @MainActor
  final class CountView {
    var count = 0

    init(counter: Constant<Int>) {
      counter.bind(to: self, \.count)
    }
  }

  @MainActor
  final class TitleView {
    private var title = ""

    init(counter: Constant<Int>) {
      counter.bind(to: self) { view, count in view.title = "\(count) items" }
    }
  }

  static func primitiveValueChanges() {
    let counter = Variable(1)
    let dust = counter.observeChanges { old, new in print("\(old) → \(new)") }
    counter.value = 3  // 1 → 3
    dust.clean()
  }

  static func primitiveValueDerived() {
    let names = Variable(["Emmett", "Marty"])
    let title = names.map { "\($0.count) people" }
    let dust = title.observe { print($0) }  // 2 people
    names.value.append("Jennifer")  // 3 people
    dust.clean()
  }

  static func primitiveValueDerived2() {
    let count = Variable(0)
    let dust = count.map { $0 > 0 }.removeDuplicates().observe { print($0) }  // false
    count.value = 1  // true
    count.value = 2
    dust.clean()
  }

  static func primitiveValueDerived3() {
    let first = Variable("Emmett")
    let last = Variable("Brown")
    let name = Constant.combine(first, last).map { "\($0) \($1)" }
    print(name.value)  // Emmett Brown
  }

  static func tuples() {
    let (seconds, isRunning) = (Variable(0), Variable(true))
    let clock = Constant.combine(seconds.map { $0 / 60 }, isRunning).removeDuplicates()
    let dust = clock.observe { print("\($0) min, \($1)") }  // 0 min, true
    seconds.value = 59
    seconds.value = 60  // 1 min, true
    dust.clean()
  }

  @MainActor
  final class Toast {
    var text = ""

    init(messages: some ObservationSource<String>) {
      messages.bind(to: self, \.text)
    }
  }

  final class History: Sendable {
    init(counter: Constant<Int>) {
      counter.observeChanges(duringScopeOf: self) { old, new in print("\(old) → \(new)") }
    }
  }

  final class Exporter: Sendable {
    init(counter: Constant<Int>) {
      counter.observe(duringScopeOf: self) { print("The counter stands at \($0).") }
    }
  }

  static func primitiveValue() {
    let counter = Variable(0)
    let shown = Constant(counter)
    let dust = shown.observe { print($0) }  // 0
    counter.value += 1  // 1
    dust.clean()
  }

  static func primitiveValue2() {
    let count = Variable(0)
    let shown = Constant(count)
    withObservationTracking {
      print(shown.value)  // 0
    } onChange: {
      print("It will be drawn anew.")
    }
    count.value = 1  // It will be drawn anew.
  }

  static func primitiveValue3() {
    let tickets = Variable(["A1", "A2"])
    let mine = tickets.modify { $0.popLast() }
    print(mine ?? "Sold out")
  }

  final class PriceStore: Queryable {
    let queries = Queries<String>()
    var prices: Constant<[String: Int]> { _prices.constant }
    private let _prices = Variable<[String: Int]>([:])

    func activeQueriesDidChange(from old: Set<String>, to new: Set<String>) {
      for product in new.subtracting(old) { print("Fetch the price of \(product).") }
    }

    func reduce(with state: Dispatcher.Price) {
      switch state {
      case .of(let product, let price): _prices.value[product] = price
      }
    }
  }

  func show(_ product: String, in store: PriceStore, until dustBuster: DustBuster) {
    store.query(product).cleaned(by: dustBuster)
    store.prices.observe { print($0[product] ?? 0) }.cleaned(by: dustBuster)
  }

  static func signal() {
    let sink = Sink<Int>()
    let signal = sink.signal
      .filter { $0 > 0 }
      .map { "\($0) new messages" }
    let dust = signal.observe { print($0) }
    sink.send(0)
    sink.send(2)  // 2 new messages
    dust.clean()
  }

  static func sink() {
    let sink = Sink<String>()
    let dust = sink.signal.observe { print($0) }
    sink.send("Saved.")  // Saved.
    dust.clean()
  }

  final class TotalStore: Storable {
    var total: Constant<Int> { _total.constant }
    private let _total = Variable(0)
    private let counter = CounterStore.instantiate()

    func reduce(with _: Dispatcher.Counter) {
      waitFor(CounterStore.self)
      _total.value += counter.count.value
    }
  }
}
