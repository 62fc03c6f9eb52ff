extension Signal {
  /// An asynchronous sequence of the later events, which loses no event.
  ///
  /// This property returns ``values(buffering:)`` with the policy `.unbounded`.
  ///
  /// ```swift
  /// let sink = Sink<String>()
  /// var messages = sink.signal.values.makeAsyncIterator()
  /// sink.send("Saving …")
  /// sink.send("Saved.")
  /// while let message = await messages.next() {
  ///   print(message)  // Saving … and Saved.
  ///   if message == "Saved." { break }
  /// }
  /// ```
  public var values: Values<Event> { values(buffering: .unbounded) }

  /// Returns an asynchronous sequence of the events that are sent after this call, with a buffering policy.
  ///
  /// - The first consumer receives every event that is sent after this call, even if the loop begins later.
  ///   Each further consumer receives the events that are sent after its iterator is created. A consumer
  ///   receives each event once, in the order of sending, unless the policy discards events.
  /// - The consumer's task runs the loop, and a thread that sends an event never waits for a consumer.
  /// - If you cancel the task that waits for the next event, the observation and the loop end immediately.
  ///   If you leave the loop, the iterator is released, which ends the observation. If you release the
  ///   sequence without a loop, the observation also ends.
  /// - After the sink and all its signals are released, the loop receives the events in the buffer, and then
  ///   ends. The sequence keeps the sink alive. An iterator doesn't.
  ///
  /// - Parameter policy: The rule for the events that a slow consumer hasn't received yet.
  /// - Returns: The sequence, which collects events from this call on.
  public func values(buffering policy: BufferingPolicy) -> Values<Event> {
    Values(buffering: policy, startingNow: true) { changes in self.observe(changes: changes) }
  }
}
