// On systems without Combine, `.ci/platforms` replaces Combine with a substitute module.
#if canImport(Combine)
  import Combine
  import FluxCapacitor
  import Foundation
  import Testing

  @Suite(.timeLimit(.minutes(20)))
  struct PublisherTests {
    private let variable = Variable(0)
    private let received = Received()

    @Test func publisherSendsTheCurrentValueAndThenEachChange() {
      let cancellable = variable.publisher.sink { received.append($0) }
      variable.value = 1
      variable.value = 1
      cancellable.cancel()
      variable.value = 2

      #expect(received.all == [0, 1, 1])
    }

    @Test func subscribersOfOnePublisherStartAndEndIndependently() {
      let publisher = variable.publisher
      let first = publisher.sink { received.append($0) }
      variable.value = 1
      let second = publisher.sink { received.append($0 * 10) }
      first.cancel()
      variable.value = 2
      second.cancel()

      #expect(received.all == [0, 1, 10, 20])
    }

    @Test func publisherOfADerivedConstantSendsItsDerivedValues() {
      let doubled = variable.map { $0 * 2 }
      let cancellable = doubled.publisher.sink { received.append($0) }
      variable.value = 3
      cancellable.cancel()

      #expect(received.all == [0, 6])
    }

    @Test func releasingTheCancellableEndsThePublishersSubscription() {
      var cancellable: AnyCancellable? = variable.publisher.sink { received.append($0) }
      withExtendedLifetime(cancellable) {}
      cancellable = nil
      variable.value = 1

      #expect(received.all == [0])
    }

    @Test func cancelledPublisherSubscriptionReleasesItsClosure() {
      final class Token: Sendable {}
      var token: Token? = Token()
      weak let held = token
      let cancellable = variable.publisher.sink { [token] _ in withExtendedLifetime(token) {} }
      token = nil
      #expect(held != nil)
      cancellable.cancel()

      #expect(held == nil)
    }

    @Test func publisherSendsTheLatestValueToASubscriberWithLimitedDemand() {
      let subscriber = OneByOne(received)
      variable.publisher.subscribe(subscriber)
      for number in 1...3 { variable.value = number }
      #expect(received.all == [])
      subscriber.askForOne()
      #expect(received.all == [3])
      variable.value = 4
      subscriber.askForOne()
      #expect(received.all == [3, 4])
      subscriber.askForOne()
      variable.value = 5
      subscriber.cancel()
      variable.value = 6

      #expect(received.all == [3, 4, 5])
    }

    @Test func publisherSubscriberReceivesEveryConcurrentWriteInOrder() {
      let cancellable = variable.publisher.sink { received.append($0) }
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<250 { variable.value += 1 }
      }
      cancellable.cancel()

      #expect(received.all == Array(0...1_000))
    }
  }

  private final class Received: @unchecked Sendable {
    // Guarded by `lock`.
    private let lock = NSLock()
    private var values: [Int] = []

    var all: [Int] { lock.withLock { values } }

    func append(_ value: Int) { lock.withLock { values.append(value) } }
  }

  /// A subscriber that demands one value for each call of `askForOne()`.
  private final class OneByOne: Subscriber {
    private let received: Received
    private var subscription: (any Subscription)?

    init(_ received: Received) {
      self.received = received
    }

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
      received.append(input)
      return .none
    }

    func receive(completion _: Subscribers.Completion<Never>) {}

    func askForOne() { subscription?.request(.max(1)) }

    func cancel() { subscription?.cancel() }
  }
#endif
