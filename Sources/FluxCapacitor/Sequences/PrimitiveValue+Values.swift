extension PrimitiveValue {
  /// An asynchronous sequence of the current value and every change, in which a slow consumer skips to the newest value.
  ///
  /// ```swift
  /// let title = Variable("Untitled")
  /// var titles = title.values.makeAsyncIterator()
  /// title.value = "Back"
  /// title.value = "Back to the Future"
  /// if let newest = await titles.next() { print(newest) }  // Back to the Future
  /// ```
  ///
  /// This property returns ``values(buffering:)`` with the policy `.bufferingNewest(1)`.
  @inlinable public var values: Values<Element> { values(buffering: .bufferingNewest(1)) }

  /// Returns an asynchronous sequence of the current value and every change, with a buffering policy.
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
  /// - Any number of consumers may iterate over the sequence, one after another or at the same time. Each starts with the
  ///   value that is current when its iterator is created. Then it receives the changes in the order of the writes, without
  ///   those that the policy discards. A reduce, a ``Dispatcher/transaction(_:)`` or a `modify` counts as one change.
  /// - Under every policy, the last value reaches every consumer.
  /// - A consumer runs on its task's executor. A thread that writes the variable never waits for a consumer.
  /// - If you cancel the task while it waits for the next value, the loop and its observation end immediately. If you leave
  ///   the loop, its iterator is released, which ends the observation.
  /// - The sequence keeps the variable or constant alive, but an iterator keeps neither the variable nor a store alive.
  ///   After the variable and all its constants are deallocated, the loop receives the values in the buffer, and then ends.
  ///   A loop over a derived constant keeps the constant and its variables alive, so it ends only if you leave it or cancel
  ///   its task.
  ///
  /// - Parameter policy: Decides which values the sequence keeps for a slow consumer.
  /// - Returns: The sequence, which observes nothing until you create an iterator.
  @inlinable public func values(buffering policy: BufferingPolicy) -> Values<Element> {
    Values(buffering: policy) { changes in self.observe(changes: changes) }
  }
}
