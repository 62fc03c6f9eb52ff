/// Runs an action's asynchronous work, by one policy.
///
/// Keep one for each kind of work that belongs together. With ``Policy/latest``, the newest search wins,
/// and nothing of an older one reaches a store any more:
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
/// You can use it from any thread. When it is deallocated, what it runs is cancelled. An operation that uses
/// the properties of its action keeps the action, and these effects, until it has ended: to end it earlier,
/// call ``cancel()``.
public final class Effects: Sendable {
  /// What happens to an operation while another one is in progress.
  public enum Policy: Hashable, Sendable {
    /// It supersedes the other one, whose task is cancelled, and all before that.
    case latest

    /// It isn't run. If the other one has been cancelled, it waits for that to end.
    case first

    /// It waits. Operations run one after the other, in the order in which they were passed.
    case serial

    /// It waits if as many as this are in progress. They begin in the order in which they were passed, but
    /// two that may begin at the same time do so in either order.
    case concurrent(Int)
  }

  /// Whether an operation is in progress that hasn't been superseded: running, pausing or waiting.
  public let isRunning: Constant<Bool>

  private let queue: EffectQueue

  /// Creates effects that run by a policy.
  ///
  /// - Parameter policy: What happens to an operation while another one is in progress. A limit of
  ///   ``Policy/concurrent(_:)`` must be at least 1.
  public init(_ policy: Policy = .latest) {
    if case .concurrent(let limit) = policy, limit < 1 {
      trap("Effects(.concurrent(\(limit))) could never run anything. The limit must be at least 1.")
    }
    queue = EffectQueue(policy)
    isRunning = Constant(queue.count).map { $0 > 0 }.removeDuplicates()
  }

  deinit { queue.cancel() }

  /// Runs an operation in a task, by the policy.
  ///
  /// - With ``Policy/latest``, what this supersedes has been superseded when this returns: nothing that
  ///   it invokes `as:` its effect is reduced from then on, also when it has ended. For that, this waits
  ///   for a reduce of it that another thread is in; except inside a reduce, a mutation, a
  ///   ``Dispatcher/read(_:)`` or the initializer of a store, where that could take forever.
  /// - An operation that is superseded before it has begun doesn't begin. Neither does one that is
  ///   cancelled during its pause or while it waits. Otherwise, one that is cancelled begins, as every
  ///   task does, and finds itself cancelled.
  /// - Inside an operation of the same effects, and in the tasks that it begins, nothing waits for that
  ///   operation: with ``Policy/serial`` and ``Policy/concurrent(_:)``, what is run there begins
  ///   immediately, beyond the limit. What an observer runs itself is inside no operation.
  ///
  /// - Parameters:
  ///   - pause: How long to wait before the operation begins. With ``Policy/latest``, this supersedes the
  ///     others before its pause, so only the last of a burst begins.
  ///   - clock: What measures the pause, from this call on.
  ///   - fileID: The file by which a test that waits for the effect names it.
  ///   - line: The line by which a test that waits for the effect names it.
  ///   - operation: What to run. It inherits the caller's actor, priority and task-local values. Its
  ///     parameter is what it invokes its states as.
  /// - Returns: The task, to await or to cancel; with ``Policy/first``, that of the operation in
  ///   progress if there is one, which that operation must not await.
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

  /// Runs an operation by the policy, and returns when it has ended.
  ///
  /// It is the same as ``run(after:clock:fileID:line:operation:)``, awaited, and cancelling the task that
  /// awaits cancels the operation. With ``Policy/first``, this may await an operation that somebody else
  /// has started, and doesn't cancel that, but waits; inside that operation, it returns immediately. With
  /// ``Policy/latest``, an operation that performs another one of the same effects is superseded by it, but
  /// not cancelled, because it awaits it.
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
    // Whoever cancels the caller must find the effect, as soon as it is there.
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
      // These effects may go while it is in progress.
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

  /// Calls the operation, on its actor: until that is there for it, it has not begun.
  private static func begin(
    _ effect: Effect,
    hasWaited: Bool,
    _ operation: @Sendable @isolated(any) (Effect) async -> Void,
    on isolation: isolated (any Actor)?
  ) async {
    let isCutShort = hasWaited && Task.isCancelled
    if !isCutShort, !effect.isSuperseded { await operation(effect) }
  }

  /// Cancels all that is in progress. What waits or pauses doesn't begin any more.
  ///
  /// To be cancelled is not to be superseded: an operation that has begun may still invoke, to say that it
  /// has ended. You can run others afterwards. What another thread is about to run may come behind this.
  public func cancel() { queue.cancel() }
}

extension Clock<Duration> {
  /// What returns when a pause that begins now has ended; nil if there is none.
  fileprivate func end(of pause: Duration) -> (@Sendable () async -> Void)? {
    guard pause > .zero else { return nil }
    let deadline = now.advanced(by: pause)
    return { try? await sleep(until: deadline, tolerance: nil) }
  }
}
