/// One operation that ``Effects`` run.
///
/// An operation receives an effect as its parameter. The operation passes this effect to
/// ``Actionable/invoke(_:as:fileID:line:)`` with each state.
public final class Effect: @unchecked Sendable {
  /// The effect whose operation the current task is running, or `nil` outside operations.
  static let current = TaskLocal<Effect?>(wrappedValue: nil)

  let queue: EffectQueue

  /// The effects of all outer operations, if this effect's operation was started inside other operations.
  ///
  /// The references are weak, so that a long chain of nested operations doesn't keep every effect alive.
  /// Each effect lists every outer effect, so that the list stays complete when one outer effect is
  /// deallocated.
  let surroundings: [Surrounding]

  struct Surrounding { private(set) weak var effect: Effect? }

  // The queue's lock guards the properties below.

  /// The task, from the effect's start until its end.
  @exclusivity(unchecked) var task: Task<Void, Never>?
  @exclusivity(unchecked) var hasBeenCancelled = false

  /// The number of this effect. Under the policy `.latest`, this effect is superseded if the queue's newest
  /// number is different.
  @exclusivity(unchecked) var number = 0

  /// Whether a newer effect has taken this effect's place in the queue, under the policy `.newestWaiting`.
  @exclusivity(unchecked) var isReplaced = false

  /// The continuation of a stream that ends when a waiting operation is allowed to begin.
  @exclusivity(unchecked) var turn: AsyncStream<Never>.Continuation?

  /// The suspension of this effect's task, while the task waits for its turn.
  @exclusivity(unchecked) var rest: TaskSuspension?

  /// The suspensions of the tasks that await this effect.
  @exclusivity(unchecked) var callers: [TaskSuspension] = []

  init(in queue: EffectQueue) {
    self.queue = queue
    // A thread can call an observer on behalf of another thread, so an observer has no outer operation.
    let outer = CurrentThread.current.pointee.isDelivering ? nil : Effect.current.get()
    let remaining = outer?.surroundings.filter { $0.effect != nil } ?? []
    surroundings = remaining + [outer].compactMap(\.self).map(Surrounding.init)
  }

  /// Returns whether this effect's operation was started inside the other effect's operation.
  func isInside(_ other: Effect) -> Bool { surroundings.contains { $0.effect === other } }

  /// Whether a newer operation has superseded this operation, under ``Effects/Policy/latest``.
  ///
  /// Under ``Effects/Policy/newestWaiting``, only operations that have not begun are superseded. Under
  /// ``Effects/Policy/latest``, a newer operation also supersedes operations that have already ended. No store reduces a state that a
  /// superseded operation invokes with its effect. By contrast, a cancelled operation can still invoke
  /// states if no newer operation has superseded it.
  ///
  /// The task of a superseded operation is cancelled immediately afterward. The only exception is an
  /// operation that awaits the newer operation in
  /// ``Effects/perform(after:clock:isolation:fileID:line:operation:)``.
  public var isSuperseded: Bool { queue.isSuperseded(self) }

  @usableFromInline func unlessSuperseded(on dispatcher: Dispatcher, _ body: () -> Void) -> Bool {
    queue.unlessSuperseded(self, on: dispatcher, body)
  }
}

extension Actionable {
  /// Dispatches a state, unless a newer operation has superseded the effect.
  ///
  /// The dispatcher checks the effect immediately before the reduce, while no other thread can run a reduce.
  /// If a newer operation starts during the reduce, the stores still finish the reduce.
  /// ``Effects/run(after:clock:fileID:line:operation:)`` describes when the newer call waits for that
  /// reduce.
  ///
  /// Inside a reduce, a mutation, a ``Dispatcher/read(_:)`` or a store's initializer, the dispatcher queues
  /// the state. For a queued state, the dispatcher checks the effect when the queued reduce begins.
  ///
  /// A cancelled effect that is not superseded can still invoke states, for example to report its end.
  ///
  /// - Parameters:
  ///   - state: The state to dispatch.
  ///   - effect: The effect that the operation received.
  ///   - fileID: The file of the call, which interceptors receive.
  ///   - line: The line of the call, which interceptors receive.
  /// - Returns: Whether the dispatcher has dispatched the state. If the dispatcher has queued the state, the
  ///   result is whether the effect is not superseded yet.
  @inlinable @discardableResult public func invoke(
    _ state: DispatchStateType,
    as effect: Effect,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Bool {
    dispatcher.dispatch(state, as: effect, from: (fileID: fileID, line: line))
  }
}

extension Dispatcher {
  @inlinable func dispatch<State: DispatchState>(
    _ state: State,
    as effect: Effect,
    from place: SourcePlace
  ) -> Bool {
    recordOperation("invokes", nil, state)
    let thread = CurrentThread.current
    if mustDefer(on: thread) {
      let isDeferred = deferDispatch(of: State.self, on: thread) {
        _ = self.reduce(state, as: effect, from: place, on: $0)
      }
      return isDeferred && !effect.isSuperseded
    }
    defer { thread.finish() }
    return reduce(state, as: effect, from: place, on: thread)
  }

  @inlinable func reduce<State: DispatchState>(
    _ state: State,
    as effect: Effect,
    from place: SourcePlace,
    on thread: CurrentThread
  ) -> Bool {
    let hasTakenTurn = beginTurn(on: thread)
    defer { endTurn(on: thread, hasTakenTurn: hasTakenTurn) }
    return effect.unlessSuperseded(on: self) { reduce(state, from: place, on: thread) }
  }
}
