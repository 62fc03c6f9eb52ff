/// Runs asynchronous operations, and decides by a policy which of them run, wait or are cancelled.
///
/// Give a store one `Effects` for each kind of work. The policy applies to all its operations, whichever action runs them.
/// In this example, a newer search supersedes the older one. Once `run` has returned, the older search can't set a result,
/// because `invoke` drops states with a superseded effect:
///
/// ```swift
/// final class SearchStore: Storable {
///   var results: Constant<[String]> { _results.constant }
///   let searches = Effects(.latest)
///   private let _results = Variable<[String]>([])
///
///   func reduce(with state: Dispatcher.Search) {
///     switch state {
///     case .found(let results): _results.value = results
///     }
///   }
/// }
///
/// struct SearchAction: Actionable {
///   typealias DispatchStateType = Dispatcher.Search
///
///   let find: @Sendable (_ text: String) async -> [String]
///   var clock: any Clock<Duration> = ContinuousClock()
///
///   func search(_ text: String) {
///     SearchStore.instantiate().searches.run(after: .milliseconds(300), clock: clock) { effect in
///       invoke(.found(await find(text)), as: effect)
///     }
///   }
/// }
/// ```
///
/// You can use an `Effects` on any thread. If it is deallocated, its operations are cancelled. The operation in this
/// example keeps the action's properties alive, but not the store, so the search ends with the store.
public final class Effects: Sendable {
  /// Whether any operation is running, pausing or waiting, not counting superseded operations.
  ///
  /// When ``run(after:clock:fileID:line:operation:)`` returns, the value is already `true`, unless the policy has refused
  /// the operation. It can change on any thread. A view's body may read it.
  public let isRunning: Constant<Bool>

  private let queue: EffectQueue

  /// The `KeyedEffects` to which these effects belong, if any.
  private let membership: Membership?

  /// Creates an object that runs operations under a policy.
  ///
  /// - Precondition: The limit of ``Policy/concurrent(_:)`` and of ``Policy/atMost(_:per:)`` is at least 1, and the
  ///   duration is positive.
  ///
  /// - Parameter policy: Decides what happens to a new operation while an earlier one is in progress.
  public convenience init(_ policy: Policy = .latest) {
    policy.check()
    self.init(EffectQueue(policy), membership: nil)
  }

  init(_ queue: EffectQueue, membership: Membership?) {
    self.queue = queue
    self.membership = membership
    // The constant keeps the queue, so it shows a key's progress even if nothing else keeps the key's `Effects`.
    isRunning = Constant(queue.count).map { count in withExtendedLifetime(queue) { count > 0 } }
      .removeDuplicates()
  }

  // While a member of a `KeyedEffects` is deallocated, the queue can already run the operations of the next member.
  deinit { queue.cancel(of: ObjectIdentifier(self)) }

  /// Runs an operation in a task, under the policy.
  ///
  /// - With ``Policy/latest``, all older operations are superseded when this method returns: no store then begins to reduce
  ///   a state that one of them invokes with its effect. If another thread is already reducing such a state, this method
  ///   waits. It doesn't wait inside a reduce, a `modify`, a ``Dispatcher/transaction(_:)``, a ``Dispatcher/read(_:)`` or a
  ///   store's initializer, because it could wait forever.
  /// - With ``Policy/atMost(_:per:)``, a refused operation's task ends, at once or after the pause, and its `isCancelled`
  ///   is `true`.
  /// - An operation doesn't begin if a newer one supersedes it first, or if it is cancelled while it pauses or waits. A
  ///   cancelled operation that neither pauses nor waits still begins, in a cancelled task.
  /// - An operation can run an inner operation of the same `Effects`, which doesn't wait for the outer one. With
  ///   ``Policy/serial``, ``Policy/newestWaiting`` and ``Policy/concurrent(_:)``, it begins immediately, beyond the limit.
  ///   Code in a task that an operation creates also counts as inside the operation. If an operation invokes a state, and
  ///   an observer of the change runs another operation, that operation doesn't count as inside.
  ///
  /// > Warning: With ``Policy/first``, an operation must not await the task that this method returns. It can be the
  /// operation's own task, which would then wait for itself.
  ///
  /// - Parameters:
  ///   - pause: The time to wait before the operation begins. With ``Policy/latest``, the operation supersedes earlier ones
  ///     before its pause, so only the last operation of a burst begins.
  ///   - clock: The clock that measures the pause, which starts at the call.
  ///   - fileID: The file of the call, for a test that waits for the effect.
  ///   - line: The line of the call, for a test that waits for the effect.
  ///   - operation: The operation to run. Like the closure of `Task { … }`, it inherits the caller's priority and
  ///     task-local values, and the isolation of the function that contains the call. In an action that isn't isolated to
  ///     an actor, it runs on no actor, even if a view calls the action. Its parameter is the effect with which it invokes
  ///     states.
  /// - Returns: The operation's task, which you can await or cancel. With ``Policy/first``, the task of the operation in
  ///   progress, if there is one that hasn't been cancelled.
  @discardableResult public func run(
    after pause: Duration = .zero,
    clock: any Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext @_implicitSelfCapture
    operation: @escaping @Sendable @isolated(any) (Effect) async -> Void
  ) -> Task<Void, Never> {
    let outcome = Outcome<Void, Never>()
    let effect = Effect(in: queue, of: self)
    return start(effect, after: pause, clock, fileID, line, outcome, operation).task
  }

  /// Runs an operation under the policy, and returns its result.
  ///
  /// In this example, the store has `let refreshes = Effects(.first)`:
  ///
  /// ```swift
  /// struct FeedAction: Actionable {
  ///   typealias DispatchStateType = Dispatcher.Feed
  ///
  ///   let load: @Sendable () async -> [String]
  ///
  ///   func refresh() async -> Int? {
  ///     await FeedStore.instantiate().refreshes.perform { effect in
  ///       let items = await load()
  ///       invoke(.loaded(items), as: effect)
  ///       return items.count
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The rules are those of ``run(after:clock:fileID:line:operation:)``. If the caller's task is cancelled, the operation
  /// is cancelled, too.
  ///
  /// - With ``Policy/first``, if an operation is in progress and hasn't been cancelled, this method waits until that
  ///   operation has ended, and returns nil. Cancelling the caller's task then neither cancels that operation nor ends the
  ///   wait.
  /// - With ``Policy/first``, a call inside the operation in progress returns immediately.
  /// - With ``Policy/latest``, an inner operation supersedes the outer one that performs it. The outer operation isn't
  ///   cancelled, because it awaits the inner one.
  ///
  /// - Parameters:
  ///   - pause: The time to wait before the operation begins.
  ///   - clock: The clock that measures the pause, which starts at the call.
  ///   - isolation: The actor on which this method runs, which is the caller's actor by default.
  ///   - fileID: The file of the call, for a test that waits for the effect.
  ///   - line: The line of the call, for a test that waits for the effect.
  ///   - operation: The operation to run. Its parameter is the effect for its states.
  /// - Returns: The operation's result, or nil if the policy has refused or replaced the operation, if it was superseded
  ///   before it ended, if another operation was in progress, or if it was cancelled before it began.
  /// - Throws: The operation's error, unless the operation was superseded.
  @discardableResult public func perform<Output: Sendable, Failure: Error>(
    after pause: Duration = .zero,
    clock: any Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext @_implicitSelfCapture
    operation: @escaping @Sendable @isolated(any) (Effect) async throws(Failure) -> Output
  ) async throws(Failure) -> Output? {
    // The method creates the effect first, so that the cancellation handler can always cancel the
    // effect.
    let effect = Effect(in: queue, of: self)
    let outcome = Outcome<Output, Failure>()
    await withTaskCancellationHandler {
      let started = start(
        effect,
        isAwaited: true,
        after: pause,
        clock,
        fileID,
        line,
        outcome,
        operation
      )
      if let suspension = started.suspension {
        suspension.begin()
        await started.task.value
      }
    } onCancel: {
      whileCancelling { queue.cancel(effect) }
    }
    return try outcome.result?.get()
  }

  private func start<Output, Failure>(
    _ effect: Effect,
    isAwaited: Bool = false,
    after pause: Duration,
    _ clock: any Clock<Duration>,
    _ fileID: StaticString,
    _ line: UInt,
    _ outcome: Outcome<Output, Failure>,
    _ operation: @escaping @Sendable @isolated(any) (Effect) async throws(Failure) -> Output
  ) -> EffectQueue.Started {
    recordOperation("runs an effect")
    let endOfPause = clock.end(of: pause)
    let piece = PendingWork.current.begin(.effect(fileID: fileID, line: line))
    let (membership, id) = (membership, ObjectIdentifier(self))
    membership?.family?.hold(self)
    @Sendable func end() {
      piece.end()
      membership?.family?.release(id)
    }
    let now = queue.time(of: clock)
    let time = endOfPause == nil ? now : nil
    let started = queue.start(effect, isAwaited: isAwaited, at: time) {
      // If the cancellation handler has run before the start, the handler has found no task to cancel.
      let isCancelled = isAwaited && Task.isCancelled
      // The task doesn't capture `self`, so that the `Effects` can be deallocated during an operation.
      return Task { [queue] in
        if let task = TaskID() { piece.belong(to: task) }
        if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
        _ = await effect.turn?.next()
        await endOfPause?()
        let hasWaited = effect.turn != nil || endOfPause != nil
        // The checks run on the operation's actor, because a thread can supersede the effect while the task
        // waits for the actor.
        @Sendable func begin(on isolation: isolated (any Actor)?) async {
          if hasWaited, Task.isCancelled { return }
          let time = queue.time(of: clock)
          guard queue.begin(effect, at: time) else {
            // The operation is superseded or refused.
            return withUnsafeCurrentTask { $0?.cancel() }
          }
          if let time {
            membership?.family?.keep(id) { queue.isLimited(since: time, at: queue.time(of: clock)) }
          }
          let result: Result<Output, Failure>
          do throws(Failure) {
            result = .success(try await operation(effect))
          } catch {
            result = .failure(error)
          }
          if !effect.isSuperseded { outcome.result = result }
        }
        await Effect.current.withValue(effect) { await begin(on: operation.isolation) }
        if queue.end(effect) { end() }
      }
    }
    if !started.isToEnd { end() }
    return started
  }

  /// The result of an operation that has a result.
  private final class Outcome<Output: Sendable, Failure: Error>: @unchecked Sendable {
    // The operation's task sets this property before its end. Afterward, only the caller that awaits the task reads it.
    var result: Result<Output, Failure>?
  }

  /// Cancels all operations in progress.
  ///
  /// Waiting and pausing operations don't begin. Operations that have already begun can still invoke states, for example to
  /// report how they ended. You can run new operations afterward. If the work is obsolete, use ``supersede()`` instead.
  ///
  /// > Warning: If another thread calls `run` at the same time, its operation might start after the cancellation.
  public func cancel() {
    recordOperation("cancels effects")
    queue.cancel()
  }

  /// Supersedes all operations in progress, under every policy.
  ///
  /// Use this method if the work is obsolete, for example when a user signs out, locks the screen or closes the document:
  ///
  /// ```swift
  /// func lock() {
  ///   VaultStore.instantiate().unlocking.supersede()
  ///   invoke(.locked)
  /// }
  /// ```
  ///
  /// Running and waiting operations are cancelled, and waiting and pausing ones don't begin. After this method has
  /// returned, no store begins to reduce a state that one of them invokes with its effect. The next operation begins at
  /// once, although a superseded one might still be ending. For a superseded operation,
  /// ``perform(after:clock:isolation:fileID:line:operation:)`` returns nil. ``Policy/atMost(_:per:)`` still counts the
  /// operations that have begun.
  ///
  /// If another thread is already reducing a state of an operation, this method waits, as
  /// ``run(after:clock:fileID:line:operation:)`` does under ``Policy/latest``. It doesn't wait inside a reduce, a `modify`,
  /// a ``Dispatcher/transaction(_:)``, a ``Dispatcher/read(_:)`` or a store's initializer.
  public func supersede() {
    recordOperation("supersedes effects")
    queue.supersede()
  }
}
