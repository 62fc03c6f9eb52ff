/// The values on their way to one consumer, which waits for them without blocking a thread.
///
/// The state decides under the lock, and returns an action to perform after it. Continuations are
/// resumed and dropped values are released after unlocking, because either may run user code.
@usableFromInline
final class AsyncBuffer<Element: Sendable>: @unchecked Sendable {
  // `state` is guarded by `lock`.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var state: AsyncBufferState<Element>

  @inlinable
  init(_ policy: BufferingPolicy) {
    state = AsyncBufferState(policy)
  }

  /// Adds a value as the last one, unless the buffer has ended.
  @inlinable
  func append(_ value: Element) {
    lock.withLock { state.append(value) }.perform()
  }

  /// Removes and returns the first value, if there is one.
  @inlinable
  func popFirst() -> Element? {
    lock.withLock { state.popFirst() }
  }

  /// Resumes a continuation with the first value once there is one, or with `nil` at the end.
  @usableFromInline
  func wait(_ waiter: CheckedContinuation<Element?, Never>) {
    lock.withLock { state.wait(waiter) }.perform()
  }

  /// Ends the buffer after the values in it.
  @usableFromInline
  func finish() {
    lock.withLock { state.finish() }.perform()
  }

  /// Ends the buffer, and drops the values in it.
  @usableFromInline
  func cancel() {
    var dropped = FIFO<Element>()
    lock.withLock { state.cancel(dropping: &dropped) }.perform()
  }
}

/// The contents of a buffer, and the consumer that waits for it.
///
/// Invariant: while a consumer waits, there are no values, and the buffer has not ended.
@usableFromInline
struct AsyncBufferState<Element: Sendable>: ~Copyable {
  @usableFromInline typealias Waiter = CheckedContinuation<Element?, Never>

  /// What to do after unlocking.
  @usableFromInline
  enum Action {
    case none
    case resume(Waiter, Element?)
    case drop(Element)

    /// A value to drop is released with the action itself.
    @inlinable
    func perform() {
      if case .resume(let waiter, let value) = self { waiter.resume(returning: value) }
    }
  }

  @usableFromInline let policy: BufferingPolicy
  @usableFromInline var values = FIFO<Element>()
  @usableFromInline var waiter: Waiter?
  @usableFromInline var isFinished = false

  @inlinable
  init(_ policy: BufferingPolicy) {
    self.policy = policy
  }

  @inlinable
  mutating func append(_ value: Element) -> Action {
    if isFinished { return .none }
    if let waiter {
      self.waiter = nil
      return .resume(waiter, value)
    }
    switch policy.kind {
    case .newest(let limit) where values.count == limit:
      let oldest = values.popFirst()
      values.append(value)
      return oldest.map { .drop($0) } ?? .none
    case .oldest(let limit) where values.count > limit:
      // The last value in the buffer didn't fit either, and is superseded by this one.
      var superseded = value
      swap(&superseded, &values[values.count - 1])
      return .drop(superseded)
    case .unbounded, .newest, .oldest:
      values.append(value)
      return .none
    }
  }

  @inlinable
  mutating func popFirst() -> Element? {
    values.popFirst()
  }

  mutating func wait(_ waiter: Waiter) -> Action {
    if let value = values.popFirst() { return .resume(waiter, value) }
    if isFinished { return .resume(waiter, nil) }
    if self.waiter != nil {
      trap(
        """
        Two tasks wait in one iterator of Values<\(Element.self)>. Let each make an iterator of its \
        own: a sequence has any number of them.
        """
      )
    }
    self.waiter = waiter
    return .none
  }

  @usableFromInline
  mutating func finish() -> Action {
    isFinished = true
    guard let waiter else { return .none }
    self.waiter = nil
    return .resume(waiter, nil)
  }

  mutating func cancel(dropping values: inout FIFO<Element>) -> Action {
    swap(&values, &self.values)
    return finish()
  }
}
