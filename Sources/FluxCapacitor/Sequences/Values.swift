/// An asynchronous sequence of a constant's values, a signal's events, or the states that a dispatcher dispatches.
///
/// ```swift
/// let counter = Variable(0)
/// for await count in counter.values {
///   print(count)  // 0, 1 and 2
///   if count == 2 { break }
///   counter.value += 1
/// }
/// ```
///
/// Any number of consumers may iterate over the sequence, each with its own buffer. It never throws.
/// ``PrimitiveValue/values(buffering:)``, ``Signal/values(buffering:)`` and ``Dispatcher/states(of:buffering:)`` describe
/// the guarantees.
public struct Values<Element: Sendable>: AsyncSequence, Sendable {
  /// The sequence never throws.
  public typealias Failure = Never

  @usableFromInline typealias Subscribe =
    @Sendable (_ changes: @escaping @Sendable (Element) -> Void) -> Dust

  @usableFromInline let policy: BufferingPolicy
  @usableFromInline let subscribe: Subscribe

  /// The consumer of the first iterator, if the sequence observes before it has an iterator.
  @usableFromInline let first: FirstConsumer?

  @inlinable init(
    buffering policy: BufferingPolicy,
    startingNow isStarted: Bool = false,
    subscribe: @escaping Subscribe
  ) {
    self.policy = policy
    self.subscribe = subscribe
    first = isStarted ? FirstConsumer(Consumer(buffering: policy, subscribe: subscribe)) : nil
  }

  /// Creates an iterator for one consumer, and starts the consumer's observation.
  ///
  /// From now on, the consumer's buffer collects values as the policy says. If it is a signal's first consumer, its buffer
  /// has already collected the events since the call of `values`. The observation ends when the iterator is released, or
  /// when a task that waits in `next` is cancelled.
  @inlinable public func makeAsyncIterator() -> Iterator {
    Iterator(consumer: first?.take() ?? Consumer(buffering: policy, subscribe: subscribe))
  }
}

extension Values {
  /// Returns the values in one consumer's buffer, one by one.
  ///
  /// The observation ends when the iterator returns `nil` or is released, for example because you leave the loop. An
  /// iterator doesn't keep the observed variable or dispatcher alive.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let consumer: Consumer

    @inlinable init(consumer: Consumer) { self.consumer = consumer }

    /// Waits for the next value, or returns `nil` if no more values can arrive.
    ///
    /// The method runs on the caller's actor. Once it has returned `nil`, it always returns `nil`. If the task is
    /// cancelled, it returns `nil` immediately, drops the values in the buffer, and ends the observation.
    ///
    /// - Precondition: Only one task at a time waits in an iterator. If a second task waits in the same iterator, the
    ///   process traps.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await consumer.buffer.next(isolation: actor) { [dust = consumer.dust] in dust.end() }
    }
  }

  /// A consumer of the sequence, with its buffer and the observation that fills the buffer.
  ///
  /// Only the iterator retains its consumer, so the iterator and the consumer are deallocated together. The
  /// observation's closure retains a `Producer`, which appends values to the buffer. The producer is
  /// deallocated when the observation ends, for any reason. A producer doesn't retain the consumer, so the
  /// producer and the consumer form no retain cycle.
  @usableFromInline final class Consumer: Sendable {
    @usableFromInline let buffer: AsyncBuffer<Element>
    @usableFromInline let dust: Dust

    @inlinable init(buffering policy: BufferingPolicy, subscribe: Subscribe) {
      let buffer = AsyncBuffer<Element>(policy)
      let producer = Producer(of: buffer)
      self.buffer = buffer
      dust = subscribe { producer.buffer.append($0) }
    }

    /// Ends the observation, without yielding to calls that have started.
    ///
    /// Unlike `clean()`, the method `end()` doesn't yield. A finished buffer drops the values of late calls.
    deinit {
      buffer.finish(dropping: true)
      dust.end()
    }
  }

  /// Holds a consumer until the first iterator takes it, so that the iterator alone retains its consumer.
  @usableFromInline final class FirstConsumer: @unchecked Sendable {
    // `lock` guards `consumer`.
    private let lock = Lock()
    private var consumer: Consumer?

    @usableFromInline init(_ consumer: Consumer) { self.consumer = consumer }

    @usableFromInline func take() -> Consumer? { lock.withLock { consumer.take() } }
  }

  /// Appends an observation's values to a buffer, and ends the buffer when the observation has ended.
  @usableFromInline final class Producer: Sendable {
    @usableFromInline let buffer: AsyncBuffer<Element>

    @inlinable init(of buffer: AsyncBuffer<Element>) { self.buffer = buffer }

    deinit { buffer.finish() }
  }
}

// Only the task that iterates uses an iterator, so an iterator isn't `Sendable`.
@available(*, unavailable)
extension Values.Iterator: Sendable {}
