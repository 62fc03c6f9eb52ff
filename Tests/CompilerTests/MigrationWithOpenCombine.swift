// `.ci/bridges` compiles and runs this file with the package OpenCombine.
#if canImport(OpenCombine)
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTesting
  import Foundation
  import OpenCombine
  import Testing

  extension PrimitiveValue {
    /// A publisher that sends the current value, and then every change on the main queue.
    func asPublisher() -> AnyPublisher<Element, Never> {
      Deferred {
        // The subject has its own lock.
        nonisolated(unsafe) let subject = CurrentValueSubject<Element?, Never>(nil)
        let dust = self.observe(on: .main) { subject.send($0) }
        return
          subject
          .compactMap { $0 }
          .handleEvents(receiveCancel: { dust.clean() })
      }
      .eraseToAnyPublisher()
    }
  }

  @MainActor
  @Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
  struct MigrationWithOpenCombine {
    @Test func publisherSendsEveryValueUntilItIsCancelled() {
      var log: [Int] = []
      let print = { (value: Int) in log.append(value) }

      let store = CounterStore.instantiate()
      let cancellable = store.count.asPublisher()
        .sink { print($0) }  // 0
      CounterAction().increment()  // 1
      cancellable.cancel()
      CounterAction().increment()

      #expect(log == [0, 1])
    }

    /// OpenCombine is in Swift 5 mode, so a call on another thread would trap.
    @Test func valuesOfAnotherThreadReachAClosureOfTheMainActor() async {
      let count = Variable(0)
      let model = CounterModel(count.constant)
      let recorder = ValueRecorder(model.titles)

      DispatchQueue.global().async { for number in 1...3 { count.value = number } }

      while await recorder.next().last != ["0", "1", "2", "3"] {}
    }

    @Test func subscriberOfAnotherThreadReceivesEachValueOnce() async {
      let count = Variable(1)
      let values = Variable<[Int]>([])
      let recorder = ValueRecorder(values)
      nonisolated(unsafe) var cancellable: AnyCancellable?
      DispatchQueue.global().async {
        cancellable = count.asPublisher().sink { values.value.append($0) }
        count.value = 2
      }

      while await recorder.next().last != [1, 2] {}
      cancellable?.cancel()
    }

    @Test func releasingTheCancellableFreesTheClosure() {
      final class Token {}
      let count = Variable(0)
      var token: Token? = Token()
      weak let held = token
      var cancellable: AnyCancellable? = count.asPublisher().sink { [token] _ in _ = token }
      token = nil
      #expect(held != nil && cancellable != nil)
      cancellable = nil

      #expect(held == nil)
    }

    @Test func publisherKeepsADerivedConstantAlive() {
      var log: [Int] = []
      let count = Variable(1)
      let publisher = count.map { $0 * 2 }.asPublisher()
      let cancellable = publisher.sink { log.append($0) }
      count.value = 2
      cancellable.cancel()

      #expect(log == [2, 4])
    }

    @Test func subscriberWithLimitedDemandReceivesTheLatestValue() {
      let count = Variable(0)
      let subscriber = OneByOne()
      count.asPublisher().subscribe(subscriber)
      for number in 1...3 { count.value = number }
      #expect(subscriber.values == [])
      subscriber.subscription?.request(.max(1))
      #expect(subscriber.values == [3])
      subscriber.subscription?.request(.max(1))
      count.value = 4
      subscriber.subscription?.cancel()
      count.value = 5

      #expect(subscriber.values == [3, 4])
    }
  }

  @MainActor
  private final class CounterModel {
    let titles = Variable<[String]>([])
    private var cancellables: Set<AnyCancellable> = []

    private var title = "" {
      didSet { titles.value.append(title) }
    }

    init(_ count: Constant<Int>) {
      count.asPublisher()
        .sink { [weak self] in self?.title = "\($0)" }
        .store(in: &cancellables)
    }
  }

  private final class OneByOne: Subscriber {
    typealias Input = Int
    typealias Failure = Never

    private(set) var values: [Int] = []
    private(set) var subscription: (any Subscription)?

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
      values.append(input)
      return .none
    }

    func receive(completion _: Subscribers.Completion<Never>) {}
  }
#endif
