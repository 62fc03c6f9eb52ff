/// The values on their way to one consumer, which waits for them without blocking a thread.
///
/// What to resume is decided under the lock. Continuations are resumed and dropped values are
/// released after unlocking, because either may run user code.
///
/// Invariant: while a consumer waits, there are no values, and the buffer has not ended.
@usableFromInline final class AsyncBuffer<Element: Sendable>: @unchecked Sendable {
  @usableFromInline typealias Waiter = CheckedContinuation<Element?, Never>

  @usableFromInline let policy: BufferingPolicy

  // All guarded by `lock`.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var values = FIFO<Element>()
  @exclusivity(unchecked) @usableFromInline var waiter: Waiter?
  @exclusivity(unchecked) @usableFromInline var isFinished = false

  @inlinable init(_ policy: BufferingPolicy) { self.policy = policy }

  /// Adds a value as the last one, unless the buffer has ended.
  @inlinable func append(_ value: Element) {
    let (waiter, value) = lock.withLock { add(value) }
    waiter?.resume(returning: value)
  }

  /// The lock must be held.
  ///
  /// - Returns: The consumer to resume with a value or, without one, a value to drop.
  @inlinable func add(_ value: Element) -> (Waiter?, Element?) {
    if isFinished { return (nil, nil) }
    if let waiter = waiter.take() { return (waiter, value) }
    guard policy.keepsOldest, values.count > policy.limit else {
      let oldest = values.count == policy.limit && !policy.keepsOldest ? values.popFirst() : nil
      values.append(value)
      return (nil, oldest)
    }
    // The last value in the buffer didn't fit either, and is superseded by this one.
    var superseded = value
    swap(&superseded, &values[values.count - 1])
    return (nil, superseded)
  }

  /// Removes and returns the first value, if there is one.
  func popFirst() -> Element? { lock.withLock { values.popFirst() } }

  /// Resumes a continuation with the first value once there is one, or with `nil` at the end.
  func wait(_ waiter: Waiter) {
    let (isReady, value) = lock.withLock {
      let value = values.popFirst()
      if value != nil || isFinished { return (true, value) }
      if self.waiter != nil {
        trap(
          "Two tasks wait in one iterator of Values<\(Element.self)>.",
          "Let each make an iterator of its own: a sequence has any number of them."
        )
      }
      self.waiter = waiter
      return (false, nil)
    }
    if isReady { waiter.resume(returning: value) }
  }

  /// Ends the buffer: after the values in it, or at once, by dropping them.
  func finish(dropping isDropping: Bool = false) {
    var dropped = FIFO<Element>()
    let waiter = lock.withLock {
      isFinished = true
      if isDropping { swap(&dropped, &values) }
      return self.waiter.take()
    }
    waiter?.resume(returning: nil)
  }
}
