/// An asynchronous sequence of a constant's values, or of the states that a dispatcher dispatches.
///
/// Any number of consumers may iterate over the sequence, each with its own buffer. The sequence never
/// throws. See ``PrimitiveValue/values(buffering:)`` and ``Dispatcher/states(of:buffering:)``.
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
  /// From now on, values are kept for the consumer according to the buffering policy. The observation ends
  /// when the iterator is released, or when a task that waits in it is cancelled.
  @inlinable public func makeAsyncIterator() -> Iterator {
    Iterator(consumer: Consumer(buffering: policy, subscribe: subscribe))
  }
}

extension Values {
  /// An iterator, which takes the values out of one consumer's buffer.
  ///
  /// It observes until it has returned `nil` or is released, for example because you leave the loop. It
  /// doesn't keep the observed variable or dispatcher alive.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let consumer: Consumer

    @inlinable init(consumer: Consumer) { self.consumer = consumer }

    /// Returns the next value as soon as there is one, or `nil` when no more values can arrive.
    ///
    /// The method stays on the caller's actor. After it has returned `nil` once, it always returns `nil`.
    /// If the task is cancelled, it returns `nil` immediately, drops the values in the buffer, and ends the
    /// observation. If two tasks wait in one iterator at the same time, it traps.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await consumer.next(isolation: actor)
    }
  }

  /// One consumer: its buffer, and the observation that fills it.
  ///
  /// Only the iterator retains the consumer, so both are deallocated together. The observation's closure
  /// retains a `Producer`, the other end of the buffer. The producer is deallocated when the observation
  /// ends, for any reason. It doesn't retain the consumer, so they form no retain cycle.
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

    /// Ends the observation, without waiting for calls that are about to start.
    ///
    /// `clean()` would wait for them. Here, the buffer drops the values that they append.
    private func cancel() {
      buffer.finish(dropping: true)
      dust.end()
    }
  }

  /// The end of a buffer at which values are appended. When it is deallocated, the buffer ends.
  @usableFromInline final class Producer: Sendable {
    @usableFromInline let buffer: AsyncBuffer<Element>

    @inlinable init(of buffer: AsyncBuffer<Element>) { self.buffer = buffer }

    deinit { buffer.finish() }
  }
}

// An iterator belongs to the task that iterates.
@available(*, unavailable)
extension Values.Iterator: Sendable {}
