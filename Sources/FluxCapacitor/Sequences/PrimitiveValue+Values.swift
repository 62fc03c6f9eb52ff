extension PrimitiveValue {
  /// The current value and every change, for `for await`; a slow consumer skips to the newest.
  ///
  /// The same as ``values(buffering:)`` with `.bufferingNewest(1)`.
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
  @inlinable
  public var values: Values<Element> {
    values(buffering: .bufferingNewest(1))
  }

  /// The current value and every change, for `for await`, with a buffer of one's own choice.
  ///
  /// - Any number of consumers may iterate over it, at the same time or one after the other. Each
  ///   starts with the value that is current when its iterator is made, and gets every later change,
  ///   in the order of the writes, unless its buffer has had no room for it. A reduce, a
  ///   ``Dispatcher/transaction(_:)`` or a `modify` counts as one change.
  /// - The last value always arrives, whatever the policy.
  /// - The consumer runs where its task does; writers never wait for it.
  /// - Cancelling the task that waits for the next value ends the observation at once, and the loop.
  ///   So does leaving the loop, which lets go of the iterator.
  /// - When the variable and every constant of it are gone, the loop ends after the values that are
  ///   in the buffer. The sequence itself keeps them; an iterator keeps neither them nor a store.
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
  /// - Parameter policy: What is kept for a consumer that is slower than the changes.
  /// - Returns: The sequence, which observes nothing before an iterator of it is made.
  @inlinable
  public func values(buffering policy: BufferingPolicy) -> Values<Element> {
    Values(buffering: policy) { changes in self.observe(changes: changes) }
  }
}
