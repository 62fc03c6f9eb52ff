import FluxCapacitor
import FluxCapacitorTesting
import Testing

#if canImport(Combine)
  import Combine
  import Dispatch
#endif

extension PrimitiveValue {
  /// An observable that emits the current value and every change on the main queue.
  func asObservable() -> Observable<Element> {
    Observable.create { observer in
      // From here on, only the main queue uses `observer`.
      nonisolated(unsafe) let observer = observer
      let dust = self.observe(on: .main) { observer.onNext($0) }
      return Disposables.create { dust.clean() }
    }
  }
}

@MainActor
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
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

  @Test func valuesOfAnotherThreadReachAClosureOfTheMainActor() async {
    let count = Variable(0)
    let titles = Variable<[String]>([])
    let recorder = ValueRecorder(titles)
    let disposable = count.asObservable().subscribe { number in
      MainActor.assertIsolated()
      titles.value.append("\(number)")
    }

    await Task.detached { for number in 1...3 { count.value = number } }.value

    while await recorder.next().last != ["0", "1", "2", "3"] {}
    disposable.dispose()
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

    @MainActor
    final class CounterModel {
      private(set) var title = ""
      private var cancellables: Set<AnyCancellable> = []

      init(_ count: Constant<Int>) {
        count.publisher
          .receive(on: DispatchQueue.main)
          .sink { [weak self] in self?.title = "\($0)" }
          .store(in: &cancellables)
      }
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
