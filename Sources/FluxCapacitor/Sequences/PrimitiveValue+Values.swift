extension PrimitiveValue {
  /// An asynchronous sequence of the current value and every change, in which a slow consumer skips to the
  /// newest value.
  ///
  /// This property returns ``values(buffering:)`` with the policy `.bufferingNewest(1)`.
  ///
  /// ```swift
  /// let title = Variable("Untitled")
  /// var titles = title.values.makeAsyncIterator()
  /// title.value = "Back"
  /// title.value = "Back to the Future"
  /// if let newest = await titles.next() { print(newest) }  // Back to the Future
  /// ```
  @inlinable public var values: Values<Element> { values(buffering: .bufferingNewest(1)) }

  /// Returns an asynchronous sequence of the current value and every change, with a buffering policy.
  ///
  /// - Any number of consumers may iterate over the sequence, one after another or at the same time. Each
  ///   consumer starts with the value that is current when its iterator is created. Each consumer receives
  ///   the later changes in the order of the writes, except for changes that the buffering policy discards.
  ///   A reduce, a ``Dispatcher/transaction(_:)`` or a `modify` counts as one change.
  /// - The last value reaches every consumer under every policy.
  /// - A consumer runs on the executor of its task. A thread that writes the variable never waits for a
  ///   consumer.
  /// - If you cancel the task that waits for the next value, the observation and the loop end immediately.
  ///   If you leave the loop, the iterator is released, which ends the observation.
  /// - After the variable and all its constants are deallocated, the loop receives the values in the
  ///   buffer, and then ends. The sequence keeps the variable or the constant alive. An iterator keeps
  ///   neither the variable nor a store alive. A loop over a derived constant keeps the constant and its variables, so
  ///   it ends only if you leave it or cancel its task.
  ///
  /// ```swift
  /// let counter = Variable(0)
  /// var counts = counter.values(buffering: .unbounded).makeAsyncIterator()
  /// counter.value = 1
  /// counter.value = 2
  /// while let count = await counts.next() {  // 0, 1 and 2
  ///   if count == 2 { break }
  /// }
  /// ```
  ///
  /// - Parameter policy: The rule for the values that the sequence keeps for a slow consumer.
  /// - Returns: The sequence, which observes nothing until you create an iterator.
  @inlinable public func values(buffering policy: BufferingPolicy) -> Values<Element> {
    Values(buffering: policy) { changes in self.observe(changes: changes) }
  }
}
