/// The values of a constant, or the states that a dispatcher dispatches, as an asynchronous
/// sequence.
///
/// Any number of consumers may iterate over it, each with its own buffer; see
/// ``PrimitiveValue/values(buffering:)`` and ``Dispatcher/states(of:buffering:)``. It never throws.
///
/// ```swift
/// let counter = Variable(0)
/// let shown = Task {
///   for await count in counter.values {
///     print(count)
///   }
/// }
/// counter.value = 1
/// shown.cancel()
/// ```
public struct Values<Element: Sendable>: AsyncSequence, Sendable {
  /// The sequence never throws.
  public typealias Failure = Never

  @usableFromInline typealias Subscribe =
    @Sendable (_ changes: @escaping @Sendable (Element) -> Void) -> Dust

  @usableFromInline let policy: BufferingPolicy
  @usableFromInline let subscribe: Subscribe

  @inlinable init(buffering policy: BufferingPolicy, subscribe: @escaping Subscribe) {
    self.policy = policy
    self.subscribe = subscribe
  }

  /// Creates an iterator for one consumer, and starts to observe for it.
  ///
  /// What arrives from now on is kept for the consumer according to the buffering policy. The
  /// observation ends with the iterator, and when a task that waits in it is cancelled.
  @inlinable public func makeAsyncIterator() -> Iterator {
    Iterator(consumer: Consumer(buffering: policy, subscribe: subscribe))
  }
}

extension Values {
  /// Takes the values out of one consumer's buffer.
  ///
  /// It observes until it is released, which leaving the loop does, or until it has returned `nil`.
  /// It doesn't keep what it observes alive.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let consumer: Consumer

    @inlinable init(consumer: Consumer) { self.consumer = consumer }

    /// Returns the next value as soon as there is one, or `nil` when there can't be any more.
    ///
    /// It doesn't leave the caller's actor. Once it has returned `nil`, it always does. If the task
    /// is cancelled, it returns `nil` immediately, the values in the buffer are dropped, and the
    /// observation has ended. Two tasks that wait in one iterator at the same time trap.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await consumer.next(isolation: actor)
    }
  }

  /// One consumer: its buffer, and the observation that fills it.
  ///
  /// Only the iterator retains it, so it is deallocated with the iterator. The observation's
  /// closure retains the other end of the buffer, a `Producer`, which is deallocated when the
  /// observation ends, for whatever reason. The producer doesn't reach the consumer, so there is no
  /// retain cycle.
  @usableFromInline final class Consumer: Sendable {
    @usableFromInline let buffer: AsyncBuffer<Element>
    @usableFromInline let dust: Dust

    @inlinable init(buffering policy: BufferingPolicy, subscribe: Subscribe) {
      let buffer = AsyncBuffer<Element>(policy)
      let producer = Producer(of: buffer)
      self.buffer = buffer
      dust = subscribe { producer.buffer.append($0) }
    }

    deinit { cancel() }

    func next(isolation actor: isolated (any Actor)?) async -> Element? {
      if !Task.isCancelled, let value = buffer.popFirst() { return value }
      return await withTaskCancellationHandler {
        await withCheckedContinuation(isolation: actor) { buffer.wait($0) }
      } onCancel: {
        whileCancelling { cancel() }
      }
    }

    /// Ends the observation, without waiting for calls that are about to start, as `clean()` would:
    /// what they append is dropped.
    private func cancel() {
      buffer.finish(dropping: true)
      dust.end()
    }
  }

  /// The end of a buffer at which values are appended; the buffer ends with it.
  @usableFromInline final class Producer: Sendable {
    @usableFromInline let buffer: AsyncBuffer<Element>

    @inlinable init(of buffer: AsyncBuffer<Element>) { self.buffer = buffer }

    deinit { buffer.finish() }
  }
}

// An iterator belongs to the task that iterates.
@available(*, unavailable)
extension Values.Iterator: Sendable {}
