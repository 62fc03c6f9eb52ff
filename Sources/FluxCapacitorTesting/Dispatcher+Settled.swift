import FluxCapacitor

extension Dispatcher {
  /// Waits until all the work that this dispatcher tracks has ended.
  ///
  /// ```swift
  /// action.fetch("octocat")
  /// await Dispatcher.shared.settled()
  /// #expect(store.names.value == ["octocat/FluxCapacitor"])
  /// ```
  ///
  /// The dispatcher tracks:
  ///
  /// - states that it is reducing or delivering, and states that were invoked inside a reduce
  /// - pending calls, on any queue, of observers that were added while it was `Dispatcher.shared`
  /// - operations of `Effects` that were run, and tasks that were added to a `DustBuster`, while it was `Dispatcher.shared`
  ///
  /// While a task in a `DustBuster` only waits for the next element of a sequence of the library, such as `values`, it
  /// doesn't count as work. The dispatcher tracks neither other tasks, nor variables that other threads set outside a
  /// dispatch.
  ///
  /// In debug builds, the method traps in an operation or a task for which it would wait.
  ///
  /// - Parameters:
  ///   - limit: The maximum time to wait. If it runs out, the test fails with a list of the unfinished work.
  ///   - isolation: The actor of the caller.
  ///   - fileID: The location that a failure refers to, which is the location of the call by default.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  /// - Returns: Whether all the tracked work has ended.
  @discardableResult
  public func settled(
    within limit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async -> Bool {
    var number = 0
    let hasSettled = await wait(atMost: limit) { number = when(.ended, $0) }
    pendingWork.forget(number)
    if !hasSettled {
      Place(fileID, filePath, line, column)
        .fail("\(failure(within: limit)) Still under way:\(pendingWorkList)")
    }
    return hasSettled
  }

  /// Waits until all the work that this dispatcher tracks has ended, and advances a clock meanwhile.
  ///
  /// Use this method to test pauses without calls of `sleeping()` and `advance(by:)`: while all the pending work sleeps on
  /// the clock, the method advances the clock to the next deadline.
  ///
  /// ```swift
  /// effects.run(after: .milliseconds(300), clock: clock) { effect in
  ///   BasketAction().invoke(.show([Item(name: "Plutonium")]), as: effect)
  /// }
  /// await Dispatcher.shared.settled(advancing: clock)
  /// #expect(store.items.value.count == 1)
  /// ```
  ///
  /// The clock never advances while a part of the tracked work is running, or while a child task is on its way to a sleep,
  /// so the result is the same in each run of the test. The following work counts as sleeping:
  ///
  /// - an operation of `Effects`, or a task in a `DustBuster`, whose own task sleeps on a `ManualClock`
  /// - an operation that pauses on a `ManualClock`, or waits for its turn
  /// - a task or an operation that awaits such an operation with `perform`
  ///
  /// An operation or a task that awaits a child task counts as running, even if the child task sleeps. If the remaining
  /// work sleeps on a different clock, the method waits until the time limit.
  ///
  /// - Parameters:
  ///   - clock: The clock to advance.
  ///   - limit: The maximum time to wait. If it runs out, for example because a timer never ends, the test fails with a
  ///     list of the unfinished work.
  ///   - isolation: The actor of the caller.
  ///   - fileID: The location that a failure refers to, which is the location of the call by default.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  /// - Returns: Whether all the tracked work has ended.
  @discardableResult
  public func settled(
    advancing clock: ManualClock,
    within limit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async -> Bool {
    pendingWork.trapIfSelfWaiting(TaskID())
    let driver = Task.detached { await self.advance(clock) }
    let hasSettled = await wait(atMost: limit) { happened in
      Task.detached {
        await driver.value
        happened()
      }
    }
    driver.cancel()
    if !hasSettled {
      Place(fileID, filePath, line, column)
        .fail("\(failure(within: limit))\(clock.sleepersByNow) Still under way:\(pendingWorkList)")
    }
    return hasSettled
  }

  private func failure(within limit: Duration) -> String {
    Task.isCancelled
      ? "The task was cancelled before the dispatcher settled."
      : "The dispatcher has not settled within \(limit)."
  }

  /// Advances a clock from deadline to deadline until no work is pending or the task is cancelled.
  private func advance(_ clock: ManualClock) async {
    while !Task.isCancelled {
      await reach(.resting)
      // A child task of an operation might be on its way to the clock.
      await clock.settle()
      let changeCount = pendingWork.changeCount
      if pendingWork.hasEnded { return }
      guard !Task.isCancelled, pendingWork.isResting else { continue }
      // A task that begins to sleep after this attempt also changes the record.
      if !clock.advanceToNextDeadline() { await reach(.changed(since: changeCount)) }
    }
  }

  /// A list of the unfinished work, with one line for each piece of work.
  private var pendingWorkList: String {
    pendingWork.descriptions.map { "\n  \($0)" }.joined()
  }

  /// A hint for a failure message, which lists the unfinished work. The hint is empty if all work has
  /// ended.
  var hintAtUnsettled: String {
    let list = pendingWorkList
    guard !list.isEmpty else { return "" }
    return """

      Should the operation end with `await Dispatcher.shared.settled()`? Still under way:\(list)
      """
  }
}
