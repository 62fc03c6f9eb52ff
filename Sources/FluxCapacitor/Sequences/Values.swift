/// Values as they come, for `for await`: of a constant, or the states that a dispatcher dispatches.
///
/// Any number of consumers may iterate over it, each with a buffer of its own; see
/// ``PrimitiveValue/values(buffering:)`` and ``Dispatcher/states(of:buffering:)``. No error is ever
/// thrown.
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
  /// There are no errors.
  public typealias Failure = Never

  @usableFromInline typealias Subscribe =
    @Sendable (_ changes: @escaping @Sendable (Element) -> Void) -> Dust

  @usableFromInline let policy: BufferingPolicy
  @usableFromInline let subscribe: Subscribe

  @inlinable
  init(buffering policy: BufferingPolicy, subscribe: @escaping Subscribe) {
    self.policy = policy
    self.subscribe = subscribe
  }

  /// Starts to observe, for one consumer.
  ///
  /// What comes from now on is kept for it by the buffering policy. The observation ends with the
  /// iterator, and when a task is cancelled that waits in it.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(consumer: Consumer(buffering: policy, subscribe: subscribe))
  }
}

extension Values {
  /// Takes the values out of one consumer's buffer.
  ///
  /// It observes until it is let go of, which leaving the loop does, or until it has returned `nil`.
  /// It does not keep what it observes alive.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let consumer: Consumer

    @inlinable
    init(consumer: Consumer) {
      self.consumer = consumer
    }

    /// The next value, as soon as there is one, or `nil` when there can be none any more.
    ///
    /// It does not leave the caller's actor. Once it has returned `nil`, it always does. If the task
    /// is cancelled, it returns `nil` at once, values in the buffer are dropped, and the observation
    /// has ended. Two tasks may not wait in one iterator at the same time: that traps.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await consumer.next(isolation: actor)
    }

    /// The next value, as soon as there is one, or `nil` when there can be none any more.
    ///
    /// The same as the other `next`, on no actor.
    public mutating func next() async -> Element? {
      await consumer.next(isolation: nil)
    }
  }

  /// One consumer: its buffer, and the observation that fills it.
  ///
  /// The iterator alone holds it, so that its end is the iterator's. The observation's closure holds
  /// the other end of the buffer, an `Inlet`: its end is that of the observation, whoever brings it
  /// about. Neither reaches the other, so nothing is held in a circle.
  @usableFromInline
  final class Consumer: Sendable {
    @usableFromInline let buffer: AsyncBuffer<Element>
    @usableFromInline let dust: Dust

    @inlinable
    init(buffering policy: BufferingPolicy, subscribe: Subscribe) {
      let buffer = AsyncBuffer<Element>(policy)
      let inlet = Inlet(of: buffer)
      self.buffer = buffer
      dust = subscribe { inlet.buffer.append($0) }
    }

    @usableFromInline
    deinit {
      cancel()
    }

    func next(isolation actor: isolated (any Actor)?) async -> Element? {
      if !Task.isCancelled, let value = buffer.popFirst() { return value }
      return await withTaskCancellationHandler {
        await withCheckedContinuation(isolation: actor) { buffer.wait($0) }
      } onCancel: {
        cancel()
      }
    }

    /// Ends the observation. Calls of it that are about to start need not be waited for, as `clean()`
    /// would: what they append is dropped.
    private func cancel() {
      buffer.cancel()
      dust.end()
    }
  }

  @usableFromInline
  final class Inlet: Sendable {
    @usableFromInline let buffer: AsyncBuffer<Element>

    @inlinable
    init(of buffer: AsyncBuffer<Element>) {
      self.buffer = buffer
    }

    @usableFromInline
    deinit {
      buffer.finish()
    }
  }
}

// An iterator belongs to the task that iterates.
@available(*, unavailable)
extension Values.Iterator: Sendable {}
