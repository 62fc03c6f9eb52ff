extension Task {
  /// Puts this task into a bag, which cancels it when the bag is cleaned or deallocated.
  ///
  /// The bag keeps neither the task nor its result once the task has ended. As with every task,
  /// what its closure captures lives until the task ends, and cancellation is a request, which the
  /// operation responds to at its next suspension or its next check of `Task.isCancelled`.
  ///
  /// ```swift
  /// final class ClockView: Sendable {
  ///   private let dustBuster = DustBuster()
  ///
  ///   init(seconds: Constant<Int>) {
  ///     Task {
  ///       for await second in seconds.values { print(second) }
  ///     }
  ///     .cleaned(by: dustBuster)
  ///   }
  /// }
  /// ```
  ///
  /// - Complexity: O(1), amortized.
  ///
  /// - Parameters:
  ///   - dustBuster: The bag.
  ///   - fileID: The file by which a test that waits for the task names it.
  ///   - line: The line by which a test that waits for the task names it.
  public func cleaned(
    by dustBuster: DustBuster,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let dust = TaskDust(startedIn: fileID, line: line)
    _ = dust.start { _ in self }
    dustBuster.insert(dust)
    retire(dust)
  }

  /// Retires the Dust when the task has ended, so that the bag can forget it.
  private func retire(_ dust: TaskDust) {
    // Nothing cancels this task; it ends with the one that it waits for. It is detached, to keep no
    // task-local value, and in the background, not to raise that one's priority.
    Task<Void, Never>.detached(priority: .background) {
      _ = await result
      dust.retire()
    }
  }
}

extension Task where Failure == Never {
  /// Cancels what is in a bag, and starts a task in its place, so that the newest request wins.
  ///
  /// What was in the bag has been cleaned before the operation starts. If several threads start
  /// tasks at the same time, each task cancels the one before, and one is left. Cleaning the bag,
  /// starting a task and putting it in would be three steps: two threads that both clean first and
  /// then start would leave two tasks in flight, and a task that is put in after it has started may
  /// be done before the older one is cancelled.
  ///
  /// Together with ``Actionable/invokeUnlessCancelled(_:fileID:line:)``, no result of an older request
  /// is reduced after that of a newer one:
  ///
  /// ```swift
  /// struct SearchAction: Actionable {
  ///   typealias DispatchStateType = Dispatcher.Search
  ///
  ///   let find: @Sendable (_ text: String) async -> [String]
  ///   private let newest = DustBuster()
  ///
  ///   init(find: @escaping @Sendable (_ text: String) async -> [String]) {
  ///     self.find = find
  ///   }
  ///
  ///   func search(_ text: String) {
  ///     Task(replacing: newest) {
  ///       let results = await find(text)
  ///       invokeUnlessCancelled(.found(results))
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - dustBuster: The bag. Keep one for each kind of request of which only the newest counts.
  ///   - fileID: The file by which a test that waits for the task names it.
  ///   - line: The line by which a test that waits for the task names it.
  ///   - operation: What the task does. It is started even if another task has taken its place by
  ///     then, and finds itself cancelled.
  @discardableResult
  public init(
    replacing dustBuster: DustBuster,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext @_implicitSelfCapture
    operation: @escaping @Sendable @isolated(any) () async -> Success
  ) {
    let dust = TaskDust(startedIn: fileID, line: line)
    // This decides which task is the newest. A later one cleans this Dust: by then, the task has
    // either been started and is cancelled, or it starts as a cancelled one.
    dustBuster.replaceAll(with: [dust])
    self = dust.start { isCleaned in
      // The Dust's lock is held, and no user code runs under it: the task starts on no actor, and
      // runs the operation later.
      Task {
        if isCleaned { withUnsafeCurrentTask { $0?.cancel() } }
        return await operation()
      }
    }
    retire(dust)
  }
}
