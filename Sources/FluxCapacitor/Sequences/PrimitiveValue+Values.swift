extension PrimitiveValue {
  /// The current value and every change, as an asynchronous sequence that skips to the newest value
  /// for a slow consumer.
  ///
  /// It is the same as ``values(buffering:)`` with `.bufferingNewest(1)`.
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

  /// Returns the current value and every change as an asynchronous sequence, with a buffering
  /// policy.
  ///
  /// - Any number of consumers may iterate over it, at the same time or one after the other. Each
  ///   starts with the value that is current when its iterator is created, and gets every later
  ///   change, in the order of the writes, unless its buffer had no room for it. A reduce, a
  ///   ``Dispatcher/transaction(_:)`` or a `modify` counts as one change.
  /// - The last value always arrives, whatever the policy.
  /// - A consumer runs where its task runs; writers never wait for it.
  /// - Cancelling the task that waits for the next value ends the observation, and the loop,
  ///   immediately. So does leaving the loop, which releases the iterator.
  /// - When the variable and every constant of it are deallocated, the loop ends after the values
  ///   that are in the buffer. The sequence itself keeps them alive; an iterator keeps neither them
  ///   nor a store alive.
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
  /// - Parameter policy: What to keep for a consumer that is slower than the changes.
  /// - Returns: The sequence. It observes nothing until an iterator is created.
  @inlinable public func values(buffering policy: BufferingPolicy) -> Values<Element> {
    Values(buffering: policy) { changes in self.observe(changes: changes) }
  }
}
