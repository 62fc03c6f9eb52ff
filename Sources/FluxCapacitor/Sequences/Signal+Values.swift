extension Signal {
  /// An asynchronous sequence of the events that are sent from now on, which loses no event.
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
  ///
  /// This property returns ``values(buffering:)`` with the policy `.unbounded`.
  public var values: Values<Event> { values(buffering: .unbounded) }

  /// Returns an asynchronous sequence of the events that are sent after this call, with a buffering policy.
  ///
  /// - The first consumer receives every event that is sent after this call, even if its loop begins later. Each further
  ///   consumer receives the events that are sent after its iterator is created. A consumer receives each event once, in
  ///   the order of sending, unless the policy discards it.
  /// - A consumer runs on its task's executor. A thread that sends an event never waits for a consumer.
  /// - If you cancel the task while it waits for the next event, the loop and its observation end immediately. If you leave
  ///   the loop, its iterator is released, which ends the observation. Releasing a sequence without a loop ends it too.
  /// - The sequence keeps the sink alive, but an iterator doesn't. After the sink and all its signals are released, the
  ///   loop receives the events in the buffer, and then ends.
  ///
  /// - Parameter policy: Decides which events the sequence keeps for a slow consumer.
  /// - Returns: The sequence, which collects events from this call on.
  public func values(buffering policy: BufferingPolicy) -> Values<Event> {
    Values(buffering: policy, startingNow: true) { changes in self.observe(changes: changes) }
  }
}
