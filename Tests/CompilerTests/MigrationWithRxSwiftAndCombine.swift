import FluxCapacitor
import FluxCapacitorTesting
import Testing

#if canImport(Combine)
  import Combine
#endif

extension PrimitiveValue {
  func asObservable() -> Observable<Element> {
    Observable.create { observer in
      // The library never overlaps calls to one observer, so `observer` can leave this thread.
      nonisolated(unsafe) let observer = observer
      let dust = self.observe { observer.onNext($0) }
      return Disposables.create { dust.clean() }
    }
  }
}

@Suite(.isolatedDispatcher)
struct MigrationWithRxSwift {
  @Test func observableSendsEveryValueUntilItIsDisposed() {
    let log = Variable<[Int]>([])
    let print = { @Sendable (value: Int) in log.value.append(value) }

    let store = CounterStore.instantiate()
    let disposable = store.count.asObservable()
      .subscribe(onNext: { print($0) })  // 0
    CounterAction().increment()  // 1
    disposable.dispose()
    CounterAction().increment()

    #expect(log.value == [0, 1])
  }

  @Test func disposingCleansTheDust() {
    final class Token: Sendable {}
    let variable = Variable(0)
    var token: Token? = Token()
    weak let held = token

    let disposable = variable.asObservable().subscribe { [token] _ in _ = token }
    token = nil
    #expect(held != nil)
    disposable.dispose()

    #expect(held == nil)
  }

  @Test func observableKeepsADerivedConstantAlive() {
    let variable = Variable(1)
    let log = Variable<[Int]>([])

    let observable = variable.map { $0 * 2 }.asObservable()
    let disposable = observable.subscribe { log.value.append($0) }
    variable.value = 2
    disposable.dispose()

    #expect(log.value == [2, 4])
  }

  @Test func observableKeepsNoStoreAlive() {
    var store: CounterStore? = CounterStore()
    weak let held = store

    let disposable = store?.count.asObservable().subscribe { _ in }
    store = nil

    #expect(held == nil)
    disposable?.dispose()
  }

  @Test func observableMayInvokeStates() {
    let store = CounterStore.instantiate()
    let amounts = Observable<Int>.create { observer in
      [1, 2, 3].forEach(observer.onNext)
      return Disposables.create {}
    }

    let disposable = amounts.subscribe(onNext: { CounterAction().invoke(.add($0)) })

    #expect(store.count.value == 6)
    disposable.dispose()
  }
}

#if canImport(Combine)
  @Suite(.isolatedDispatcher)
  struct MigrationWithCombine {
    @Test func publisherSendsEveryValueUntilItIsCancelled() {
      let log = Variable<[Int]>([])
      let print = { @Sendable (value: Int) in log.value.append(value) }

      let store = CounterStore.instantiate()
      let cancellable = store.count.publisher
        .sink { print($0) }  // 0
      CounterAction().increment()  // 1
      cancellable.cancel()
      CounterAction().increment()

      #expect(log.value == [0, 1])
    }

    @Test func publisherMayInvokeStates() {
      let store = CounterStore.instantiate()
      let amounts = PassthroughSubject<Int, Never>()

      let cancellable = amounts.sink { CounterAction().invoke(.add($0)) }
      amounts.send(2)

      #expect(store.count.value == 2)
      cancellable.cancel()
    }
  }
#endif
