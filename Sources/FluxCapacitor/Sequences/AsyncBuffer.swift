/// The values on their way to one consumer, which waits for them without blocking a thread.
///
/// The buffer decides under the lock which continuation to resume. It resumes continuations and releases
/// dropped values after unlocking, because both may run user code.
///
/// Invariant: while a consumer waits, the buffer is empty and has not ended.
@usableFromInline final class AsyncBuffer<Element: Sendable>: @unchecked Sendable {
  @usableFromInline typealias Waiter = CheckedContinuation<Element?, Never>

  @usableFromInline let policy: BufferingPolicy

  // All guarded by `lock`.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var values = FIFO<Element>()
  @exclusivity(unchecked) @usableFromInline var waiter: Waiter?
  @exclusivity(unchecked) @usableFromInline var isFinished = false

  @inlinable init(_ policy: BufferingPolicy) { self.policy = policy }

  /// Appends a value, unless the buffer has ended.
  @inlinable func append(_ value: Element) {
    let (waiter, value) = lock.withLock { add(value) }
    waiter?.resume(returning: value)
  }

  /// Hands a value to the waiting consumer, or appends it. The lock must be held.
  ///
  /// - Returns: The consumer to resume with a value or, without a waiting consumer, a value to drop.
  @inlinable func add(_ value: Element) -> (Waiter?, Element?) {
    if isFinished { return (nil, nil) }
    if let waiter = waiter.take() { return (waiter, value) }
    guard policy.keepsOldest, values.count > policy.limit else {
      let oldest = values.count == policy.limit && !policy.keepsOldest ? values.popFirst() : nil
      values.append(value)
      return (nil, oldest)
    }
    // The last value in the buffer didn't fit either, so this value takes its place.
    var superseded = value
    swap(&superseded, &values[values.count - 1])
    return (nil, superseded)
  }

  /// Removes and returns the first value, if there is one.
  func popFirst() -> Element? { lock.withLock { values.popFirst() } }

  /// Resumes a continuation with the first value when there is one, or with `nil` at the end.
  func wait(_ waiter: Waiter) {
    let (isReady, value) = lock.withLock {
      let value = values.popFirst()
      if value != nil || isFinished { return (true, value) }
      if self.waiter != nil {
        trap(
          "Two tasks wait in one iterator of Values<\(Element.self)> at the same time.",
          "Create an iterator for each task. A sequence can have any number of iterators."
        )
      }
      self.waiter = waiter
      return (false, nil)
    }
    if isReady { waiter.resume(returning: value) }
  }

  /// Ends the buffer.
  ///
  /// - Parameter isDropping: Whether to drop the values in the buffer. Otherwise, it ends after them.
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
