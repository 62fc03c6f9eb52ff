// The part of Combine that the library and the documents use. The signatures are Apple's, and the behavior
// follows Apple's documentation.
import Foundation

public protocol Cancellable {
  func cancel()
}

public final class AnyCancellable: Cancellable, Hashable {
  private let lock = NSLock()
  private var cancelOnce: (() -> Void)?

  public init(_ cancel: @escaping () -> Void) {
    cancelOnce = cancel
  }

  public init<Canceller: Cancellable>(_ canceller: Canceller) {
    cancelOnce = canceller.cancel
  }

  deinit {
    cancel()
  }

  public func cancel() {
    lock.withLock {
      defer { cancelOnce = nil }
      return cancelOnce
    }?()
  }

  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  public static func == (first: AnyCancellable, second: AnyCancellable) -> Bool { first === second }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

public protocol CustomCombineIdentifierConvertible {}

public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  func request(_ demand: Subscribers.Demand)
}

public enum Subscribers {
  public struct Demand: Equatable, Sendable {
    public static let unlimited = Demand(count: .max)
    public static let none = Demand(count: 0)
    public static func max(_ value: Int) -> Demand { Demand(count: value) }

    var count: Int

    public static func += (demand: inout Demand, more: Demand) {
      let (sum, isOver) = demand.count.addingReportingOverflow(more.count)
      demand.count = isOver ? .max : sum
    }

    mutating func takeOne() -> Bool {
      guard count > 0 else { return false }
      if count < .max { count -= 1 }
      return true
    }
  }

  public enum Completion<Failure: Error> {
    case finished
    case failure(Failure)
  }
}

public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  associatedtype Input
  associatedtype Failure: Error

  func receive(subscription: any Subscription)
  func receive(_ input: Input) -> Subscribers.Demand
  func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Publisher<Output, Failure> {
  associatedtype Output
  associatedtype Failure: Error

  func receive<Target: Subscriber>(subscriber: Target)
  where Target.Input == Output, Target.Failure == Failure
}

extension Publisher {
  public func subscribe<Target: Subscriber>(_ subscriber: Target)
  where Target.Input == Output, Target.Failure == Failure {
    receive(subscriber: subscriber)
  }

  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }

  public func compactMap<Result>(
    _ transform: @escaping (Output) -> Result?
  ) -> Publishers.CompactMap<Self, Result> {
    Publishers.CompactMap(upstream: self, transform: transform)
  }

  public func handleEvents(
    receiveCancel: (() -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(upstream: self, receiveCancel: receiveCancel)
  }
}

extension Publisher {
  /// In Combine, the queue is any `Scheduler`.
  public func receive(on queue: DispatchQueue) -> Publishers.ReceiveOn<Self> {
    Publishers.ReceiveOn(upstream: self, queue: queue)
  }
}

extension Publisher where Failure == Never {
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    let sink = Sink(receiveValue)
    subscribe(sink)
    return AnyCancellable(sink)
  }
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {
  private let subscribe: (any Subscriber<Output, Failure>) -> Void

  public init<Upstream: Publisher>(_ publisher: Upstream)
  where Upstream.Output == Output, Upstream.Failure == Failure {
    subscribe = { subscriber in
      func pass<Target: Subscriber<Output, Failure>>(_ target: Target) {
        publisher.subscribe(target)
      }
      pass(subscriber)
    }
  }

  public func receive<Target: Subscriber>(subscriber: Target)
  where Target.Input == Output, Target.Failure == Failure { subscribe(subscriber) }
}

public struct Deferred<Upstream: Publisher>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  private let createPublisher: () -> Upstream

  public init(createPublisher: @escaping () -> Upstream) {
    self.createPublisher = createPublisher
  }

  public func receive<Target: Subscriber>(subscriber: Target)
  where Target.Input == Output, Target.Failure == Failure {
    createPublisher().subscribe(subscriber)
  }
}

public enum Publishers {
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let transform: (Upstream.Output) -> Output?

    public func receive<Target: Subscriber>(subscriber: Target)
    where Target.Input == Output, Target.Failure == Failure {
      upstream.subscribe(Relay(subscriber, transform))
    }
  }

  public struct HandleEvents<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let receiveCancel: (() -> Void)?

    public func receive<Target: Subscriber>(subscriber: Target)
    where Target.Input == Output, Target.Failure == Failure {
      upstream.subscribe(Relay(subscriber, receiveCancel: receiveCancel) { $0 })
    }
  }
}

extension Publishers {
  public struct ReceiveOn<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let queue: DispatchQueue

    public func receive<Target: Subscriber>(subscriber: Target)
    where Target.Input == Output, Target.Failure == Failure {
      upstream.subscribe(Relay<Output, Hop<Target>>(Hop(subscriber, to: queue)) { $0 })
    }
  }
}

/// Passes the values of a publisher on to a subscriber on a queue.
private final class Hop<Target: Subscriber>: Subscriber {
  private let target: Target
  private let queue: DispatchQueue

  init(_ target: Target, to queue: DispatchQueue) { (self.target, self.queue) = (target, queue) }

  func receive(subscription: any Subscription) { target.receive(subscription: subscription) }

  func receive(_ input: Target.Input) -> Subscribers.Demand {
    nonisolated(unsafe) let (target, input) = (target, input)
    queue.async { _ = target.receive(input) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Target.Failure>) {
    nonisolated(unsafe) let (target, completion) = (target, completion)
    queue.async { target.receive(completion: completion) }
  }
}

/// Passes the values of a publisher on to a subscriber.
private final class Relay<Input, Target: Subscriber>: Subscriber, Subscription {
  typealias Failure = Target.Failure

  private let target: Target
  private let transform: (Input) -> Target.Input?
  private let receiveCancel: (() -> Void)?
  private var upstream: (any Subscription)?

  init(
    _ target: Target,
    receiveCancel: (() -> Void)? = nil,
    _ transform: @escaping (Input) -> Target.Input?
  ) {
    self.target = target
    self.receiveCancel = receiveCancel
    self.transform = transform
  }

  func receive(subscription: any Subscription) {
    upstream = subscription
    target.receive(subscription: self)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard let output = transform(input) else { return .max(1) }
    return target.receive(output)
  }

  func receive(completion: Subscribers.Completion<Failure>) { target.receive(completion: completion) }

  func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

  func cancel() {
    receiveCancel?()
    upstream?.cancel()
    upstream = nil
  }
}

private final class Sink<Input>: Subscriber, Cancellable {
  typealias Failure = Never

  private let receiveValue: (Input) -> Void
  private var subscription: (any Subscription)?

  init(_ receiveValue: @escaping (Input) -> Void) {
    self.receiveValue = receiveValue
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    receiveValue(input)
    return .none
  }

  func receive(completion _: Subscribers.Completion<Never>) {}

  func cancel() {
    subscription?.cancel()
    subscription = nil
  }
}

// MARK: - Subjects

public final class CurrentValueSubject<Output, Failure: Error>: Publisher {
  private let lock = NSRecursiveLock()
  private var current: Output
  private var subscriptions: [Conduit<Output, Failure>] = []

  public init(_ value: Output) {
    current = value
  }

  public func send(_ input: Output) {
    let subscriptions = lock.withLock {
      current = input
      return self.subscriptions
    }
    for subscription in subscriptions { subscription.offer(input) }
  }

  public func receive<Target: Subscriber>(subscriber: Target)
  where Target.Input == Output, Target.Failure == Failure {
    let conduit = Conduit<Output, Failure>(subscriber) { [weak self] conduit in
      self?.lock.withLock { self?.subscriptions.removeAll { $0 === conduit } }
    }
    let value = lock.withLock {
      subscriptions.append(conduit)
      return current
    }
    conduit.begin(with: value)
  }
}

public final class PassthroughSubject<Output, Failure: Error>: Publisher {
  private let lock = NSRecursiveLock()
  private var subscriptions: [Conduit<Output, Failure>] = []

  public init() {}

  public func send(_ input: Output) {
    for subscription in lock.withLock({ subscriptions }) { subscription.offer(input, isKept: false) }
  }

  public func receive<Target: Subscriber>(subscriber: Target)
  where Target.Input == Output, Target.Failure == Failure {
    let conduit = Conduit<Output, Failure>(subscriber) { [weak self] conduit in
      self?.lock.withLock { self?.subscriptions.removeAll { $0 === conduit } }
    }
    lock.withLock { subscriptions.append(conduit) }
    conduit.begin(with: nil)
  }
}

/// One subscription to a subject. Without demand, the subscription stores the last value if `isKept` is true.
private final class Conduit<Output, Failure: Error>: Subscription {
  private let lock = NSRecursiveLock()
  private var target: (any Subscriber<Output, Failure>)?
  private var demand = Subscribers.Demand.none
  private var kept: Output?
  private let end: (Conduit) -> Void

  init(_ target: any Subscriber<Output, Failure>, end: @escaping (Conduit) -> Void) {
    self.target = target
    self.end = end
  }

  func begin(with value: Output?) {
    kept = value
    target?.receive(subscription: self)
  }

  func offer(_ value: Output, isKept: Bool = true) {
    lock.withLock {
      guard let target else { return }
      kept = nil
      if demand.takeOne() {
        demand += target.receive(value)
      } else if isKept {
        kept = value
      }
    }
  }

  func request(_ more: Subscribers.Demand) {
    lock.withLock {
      demand += more
      guard let target, let value = kept, demand.takeOne() else { return }
      kept = nil
      demand += target.receive(value)
    }
  }

  func cancel() {
    lock.withLock { target = nil }
    end(self)
  }
}
