/// An object that runs an action's asynchronous operations, under one policy.
///
/// Create one `Effects` for each group of related operations. With ``Policy/latest``, the newest search
/// wins, and no state of an older search reaches a store anymore:
///
/// ```swift
/// struct SearchAction: Actionable {
///   typealias DispatchStateType = Dispatcher.Search
///
///   let find: @Sendable (_ text: String) async -> [String]
///   var clock: any Clock<Duration> = ContinuousClock()
///   private let effects = Effects(.latest)
///
///   func search(_ text: String) {
///     effects.run(after: .milliseconds(300), clock: clock) { effect in
///       invoke(.found(await find(text)), as: effect)
///     }
///   }
/// }
/// ```
///
/// You can use an `Effects` on any thread. When it is deallocated, its operations are cancelled. An
/// operation that uses its action's properties keeps the action and its `Effects` alive until the operation
/// has ended. To end it earlier, call ``cancel()``.
public final class Effects: Sendable {
  /// A rule for a new operation while another one is in progress.
  public enum Policy: Hashable, Sendable {
    /// The new operation supersedes the other one and all operations before it. The other one's task is
    /// cancelled.
    case latest

    /// The new operation isn't run. If the other one has been cancelled, the new one waits until the other
    /// one ends.
    case first

    /// The new operation waits. Operations run one after the other, in the order of the calls.
    case serial

    /// The new operation waits if this many operations are in progress.
    ///
    /// Operations begin in the order of the calls. Two operations that may begin at the same time do so in
    /// either order.
    case concurrent(Int)
  }

  /// Whether an operation is running, pausing or waiting, and hasn't been superseded.
  public let isRunning: Constant<Bool>

  private let queue: EffectQueue

  /// Creates an object that runs operations under a policy.
  ///
  /// - Parameter policy: A rule for a new operation while another one is in progress. The limit of
  ///   ``Policy/concurrent(_:)`` must be at least 1.
  public init(_ policy: Policy = .latest) {
    if case .concurrent(let limit) = policy, limit < 1 {
      trap("Effects(.concurrent(\(limit))) can't run operations. The limit must be at least 1.")
    }
    queue = EffectQueue(policy)
    isRunning = Constant(queue.count).map { $0 > 0 }.removeDuplicates()
  }

  deinit { queue.cancel() }

  /// Runs an operation in a task, under the policy.
  ///
  /// - With ``Policy/latest``, older operations are superseded when this method returns. From then on, no
  ///   state that an older operation invokes `as:` its effect is reduced, even if that operation has ended.
  ///   If another thread is reducing such a state, this method waits for the end of that reduce. It doesn't
  ///   wait inside a reduce, a mutation, a ``Dispatcher/read(_:)`` or the initializer of a store, where
  ///   that could take forever.
  /// - An operation doesn't begin if it is superseded first, or cancelled during its pause or while it
  ///   waits. Any other cancelled operation begins, as every task does, and finds itself cancelled.
  /// - Inside an operation of the same `Effects`, and in the tasks that it creates, a new operation doesn't
  ///   wait for the outer one. With ``Policy/serial`` and ``Policy/concurrent(_:)``, the new operation
  ///   begins immediately, beyond the limit. An operation that an observer runs directly has no outer
  ///   operation.
  ///
  /// - Parameters:
  ///   - pause: The time to wait before the operation begins. With ``Policy/latest``, the operation
  ///     supersedes the others before its pause, so only the last one of a burst begins.
  ///   - clock: The clock that measures the pause, from this call on.
  ///   - fileID: The file of the call, for a test that waits for the effect.
  ///   - line: The line of the call, for a test that waits for the effect.
  ///   - operation: The operation to run. It inherits the caller's actor, priority and task-local values.
  ///     Its parameter is the effect with which it invokes states.
  /// - Returns: The task, which you can await or cancel. With ``Policy/first``, this is the task of the
  ///   operation in progress, if there is one. That operation must not await it.
  @discardableResult public func run(
    after pause: Duration = .zero,
    clock: any Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext @_implicitSelfCapture
    operation: @escaping @Sendable @isolated(any) (Effect) async -> Void
  ) -> Task<Void, Never> {
    start(Effect(in: queue), isAwaited: false, clock.end(of: pause), fileID, line, operation).task
  }

  /// Runs an operation under the policy, and returns when it has ended.
  ///
  /// The method follows the rules of ``run(after:clock:fileID:line:operation:)``. In addition, if the
  /// caller's task is cancelled, the operation is cancelled too.
  ///
  /// - With ``Policy/first``, this method may await an operation that other code has started. Cancelling
  ///   the caller's task doesn't cancel that operation, and the method still waits for it. Inside that
  ///   operation, the method returns immediately.
  /// - With ``Policy/latest``, an operation that performs another one of the same `Effects` is superseded
  ///   by it. It isn't cancelled, because it awaits the new operation.
  ///
  /// ```swift
  /// struct FeedAction: Actionable {
  ///   typealias DispatchStateType = Dispatcher.Feed
  ///
  ///   let load: @Sendable () async -> [String]
  ///   private let effects = Effects(.first)
  ///
  ///   func refresh() async {
  ///     await effects.perform { effect in invoke(.loaded(await load()), as: effect) }
  ///   }
  /// }
  /// ```
  public func perform(
    after pause: Duration = .zero,
    clock: any Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext @_implicitSelfCapture
    operation: @escaping @Sendable @isolated(any) (Effect) async -> Void
  ) async {
    // The effect exists before the handler, so that a thread that cancels the caller always finds it.
    let effect = Effect(in: queue)
    await withTaskCancellationHandler {
      let started = start(effect, isAwaited: true, clock.end(of: pause), fileID, line, operation)
      if started.isNew || !started.isNested { await started.task.value }
    } onCancel: {
      whileCancelling { queue.cancel(effect) }
    }
  }

  private func start(
    _ effect: Effect,
    isAwaited: Bool,
    _ endOfPause: (@Sendable () async -> Void)?,
    _ fileID: StaticString,
    _ line: UInt,
    _ operation: @escaping @Sendable @isolated(any) (Effect) async -> Void
  ) -> EffectQueue.Started {
    let noteEnd = PendingWork.current?.begin { "The effect of \(fileID):\(line) is running." }
    let started = queue.start(effect, isAwaited: isAwaited) { turn in
      let isCancelled = effect.hasBeenCancelled
      // These `Effects` may be deallocated while the effect is in progress.
      return Task { [queue] in
        if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
        if let turn { for await _ in turn {} }
        await endOfPause?()
        let hasWaited = turn != nil || endOfPause != nil
        await Effect.current.withValue(effect) {
          await Effects.begin(effect, hasWaited: hasWaited, operation, on: operation.isolation)
        }
        queue.end(effect)
        noteEnd?()
      }
    }
    if !started.isNew { noteEnd?() }
    return started
  }

  /// Calls the operation on its actor. Until that actor is available, the operation hasn't begun.
  private static func begin(
    _ effect: Effect,
    hasWaited: Bool,
    _ operation: @Sendable @isolated(any) (Effect) async -> Void,
    on isolation: isolated (any Actor)?
  ) async {
    let isCutShort = hasWaited && Task.isCancelled
    if !isCutShort, !effect.isSuperseded { await operation(effect) }
  }

  /// Cancels all operations in progress.
  ///
  /// Waiting and pausing operations don't begin. A cancelled operation isn't superseded: if it has begun,
  /// it may still invoke states, for example to report its end. You can run other operations afterward. An
  /// operation that another thread is about to run may start after this call.
  public func cancel() { queue.cancel() }
}

extension Clock<Duration> {
  /// Returns a closure that waits for the end of a pause that begins now, or `nil` if the pause is zero.
  fileprivate func end(of pause: Duration) -> (@Sendable () async -> Void)? {
    guard pause > .zero else { return nil }
    let deadline = now.advanced(by: pause)
    return { try? await sleep(until: deadline, tolerance: nil) }
  }
}
