#if canImport(Dispatch)
  import Dispatch
#endif

extension Dispatcher {
  /// Waits until this dispatcher's work has ended, for an orderly shutdown.
  ///
  /// ```swift
  /// func close() async {
  ///   effects.cancel()
  ///   await dispatcher.settled()
  /// }
  /// ```
  ///
  /// > Note: In a file that imports FluxCapacitorTesting, `settled()` means that library's method, which fails the test
  /// after a time limit.
  ///
  /// The method waits for:
  ///
  /// - this dispatcher's reduces and transactions, and states that were invoked inside a reduce
  /// - pending calls of observers on a queue
  /// - operations of ``Effects``
  /// - tasks that were added to a ``DustBuster``
  /// - further work that this work begins
  ///
  /// An observer, an operation or a task belongs to the dispatcher that was ``shared`` when you added the observer, ran the
  /// operation, or put the task into the bag. Outside ``withDispatcher(_:operation:)``, that is the process-wide
  /// dispatcher.
  ///
  /// While a task in a bag only waits for the next element of ``PrimitiveValue/values`` or ``states(of:buffering:)``, it
  /// doesn't count as work. An operation of ``Effects`` counts until it has ended, even if it waits in such a loop. Swift
  /// doesn't tell whose child a task is: a task in a bag counts as work while it waits for its child tasks, and while it
  /// waits for an element, its child tasks don't count. So put such a loop into a task of its own. The dispatcher doesn't
  /// track other tasks and threads. So first stop the threads that dispatch states: during a dispatch, the call of an
  /// observer might not count yet.
  ///
  /// You can call the method in any task, on any actor. It blocks no thread and has no time limit. It returns early only if
  /// the calling task is cancelled.
  ///
  /// > Warning: An operation of ``Effects`` or a task in a bag must not call this method, because it would wait for itself.
  /// In debug builds, the method then traps.
  ///
  /// - Complexity: O(1) when the work ends. The record of the work costs O(1) for each piece of work.
  @_disfavoredOverload public nonisolated(nonsending) func settled() async { await reach(.ended) }

  /// Waits until the pending work has reached a goal or the task is cancelled.
  package nonisolated(nonsending) func reach(_ goal: PendingWork.Goal) async {
    let waiter = Waiter()
    let number = when(goal) { waiter.resume() }
    await waiter.wait()
    pendingWork.forget(number)
  }

  /// Calls a closure when the pending work has reached a goal. The goals `ended` and `resting` also require that
  /// no reduce is running.
  ///
  /// - Returns: The number of the closure in the record of pending work.
  @discardableResult
  package func when(_ goal: PendingWork.Goal, _ body: @escaping @Sendable () -> Void) -> Int {
    if case .changed = goal { return pendingWork.when(goal, body) }
    if registry.turn.isHeldByCurrentThread || !registry.turn.tryLock() {
      let reduce = pendingWork.begin(.reduce)
      // The threads of this queue may wait for another thread.
      #if canImport(Dispatch)
        let queue = DispatchQueue.global(qos: .userInitiated)
      #else
        let queue = DispatchQueue.main
      #endif
      queue.send {
        self.waitForTurn()
        reduce.end()
      }
    } else {
      registry.turn.unlock()
    }
    return pendingWork.when(goal, body)
  }
}
