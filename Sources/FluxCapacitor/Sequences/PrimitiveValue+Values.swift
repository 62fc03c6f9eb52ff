extension PrimitiveValue {
  /// An asynchronous sequence of the current value and every change, which skips to the newest value for a
  /// slow consumer.
  ///
  /// This property returns ``values(buffering:)`` with the policy `.bufferingNewest(1)`.
  ///
  /// ```swift
  /// let title = Variable("Untitled")
  /// let lengths = Task { @MainActor in
  ///   for await text in title.values {
  ///     print(text.count)
  ///   }
  /// }
  /// title.value = "Back to the Future"
  /// lengths.cancel()
  /// ```
  @inlinable public var values: Values<Element> { values(buffering: .bufferingNewest(1)) }

  /// Returns an asynchronous sequence of the current value and every change, with a buffering policy.
  ///
  /// - Any number of consumers may iterate over the sequence, at the same time or one after the other. Each
  ///   consumer starts with the value that is current when its iterator is created. It receives every later
  ///   change in the order of the writes, unless its buffer has no room for the change. A reduce, a
  ///   ``Dispatcher/transaction(_:)`` or a `modify` counts as one change.
  /// - The last value always arrives, under every policy.
  /// - A consumer runs where its task runs. Writers never wait for it.
  /// - If you cancel the task that waits for the next value, the observation and the loop end immediately.
  ///   They also end if you leave the loop, which releases the iterator.
  /// - When the variable and all its constants are deallocated, the loop ends after the values in the
  ///   buffer. The sequence itself keeps them alive. An iterator doesn't, and keeps no store alive either.
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
  /// - Returns: The sequence. It observes nothing until an iterator is created.
  @inlinable public func values(buffering policy: BufferingPolicy) -> Values<Element> {
    Values(buffering: policy) { changes in self.observe(changes: changes) }
  }
}
