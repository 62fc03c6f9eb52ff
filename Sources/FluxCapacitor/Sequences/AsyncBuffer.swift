/// A buffer for the values that a consumer of an asynchronous sequence has not received yet.
///
/// Under its lock, the buffer only chooses a continuation to resume, and values to drop. After unlocking,
/// the buffer resumes the continuation and releases the values, because both steps can run user code.
///
/// As an invariant, the buffer is empty and has not ended while a consumer waits.
@usableFromInline final class AsyncBuffer<Element: Sendable>: @unchecked Sendable {
  @usableFromInline let policy: BufferingPolicy

  // `lock` guards all variables in this group.
  @usableFromInline let lock = Lock()
  @usableFromInline var values = FIFO<Element>()
  @usableFromInline var waiter: Waiter?
  @usableFromInline var isFinished = false

  @inlinable init(_ policy: BufferingPolicy) { self.policy = policy }

  /// Adds a value and resumes a waiting consumer, unless the buffer has ended.
  @inlinable func append(_ value: Element) {
    let (waiter, value) = lock.withLock { add(value) }
    waiter?.resume(returning: value)
  }

  /// Passes a value to the waiting consumer, or appends the value to the buffer.
  ///
  /// - Precondition: The caller holds `lock`.
  /// - Returns: A continuation and the value for it, or a dropped value without a continuation.
  @inlinable func add(_ value: Element) -> (Waiter?, Element?) {
    if isFinished { return (nil, nil) }
    if let waiter = waiter.take() { return (waiter, value) }
    if policy.keepsOldest, values.count > policy.limit {
      // The buffer is full, so the new value replaces the newest value in the buffer.
      var dropped = value
      swap(&dropped, &values[values.count - 1])
      return (nil, dropped)
    }
    let dropped = values.count == policy.limit && !policy.keepsOldest ? values.popFirst() : nil
    values.append(value)
    return (nil, dropped)
  }

  /// Removes and returns the first value, after waiting if necessary, or returns nil after the buffer's end.
  ///
  /// If the task is cancelled, the method returns nil, drops the values, and ends the buffer.
  ///
  /// - Parameter onCancel: A closure to call when the task is cancelled while the method waits.
  func next(
    isolation actor: isolated (any Actor)? = #isolation,
    onCancel: @Sendable () -> Void = {}
  ) async -> Element? {
    if !Task.isCancelled, let value = lock.withLock({ values.popFirst() }) { return value }
    return await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: actor) { wait($0) }
    } onCancel: {
      whileCancelling {
        finish(dropping: true)
        onCancel()
      }
    }
  }

  /// Resumes a continuation with the next value, or with `nil` after the end of the buffer.
  private func wait(_ continuation: CheckedContinuation<Element?, Never>) {
    let waiter = Waiter(continuation: continuation)
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
    if isReady { continuation.resume(returning: value) } else { waiter.suspension.begin() }
  }

  /// Ends the buffer, and resumes a waiting consumer with `nil`.
  ///
  /// - Parameter isDropping: Whether to drop the values in the buffer. By default, the consumer still
  ///   receives the values in the buffer.
  func finish(dropping isDropping: Bool = false) {
    var dropped = FIFO<Element>()
    let waiter = lock.withLock {
      isFinished = true
      if isDropping { swap(&dropped, &values) }
      return self.waiter.take()
    }
    waiter?.resume(returning: nil)
    while let value = dropped.popFirst() { releaseAfterUnlocking(value) }
  }

  /// A consumer that waits for an element.
  @usableFromInline struct Waiter {
    let continuation: CheckedContinuation<Element?, Never>

    /// The consumer's task is idle, because only an element or the buffer's end lets the task continue. A buffer without
    /// elements ends after an effect.
    let suspension = TaskSuspension(Element.self == Never.self ? .joining : .idle)

    /// Resumes the consumer's task. The record counts the task as busy again before the thread that brings
    /// the element ends its own work.
    @usableFromInline func resume(returning element: Element?) {
      suspension.end()
      continuation.resume(returning: element)
    }
  }
}
