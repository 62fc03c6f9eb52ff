/// Identifies one operation of ``Effects``.
///
/// The operation receives its effect as a parameter, and passes it to ``Actionable/invoke(_:as:fileID:line:)`` with each
/// state.
public final class Effect: @unchecked Sendable {
  /// The effect whose operation the current task is running, or `nil` outside operations.
  static let current = TaskLocal<Effect?>(wrappedValue: nil)

  @usableFromInline let queue: EffectQueue

  /// The `Effects` that has started this effect, and that might have been deallocated since.
  let owner: ObjectIdentifier

  /// The effects of all outer operations, if this effect's operation was started inside other operations.
  ///
  /// The references are weak, so that a long chain of nested operations doesn't keep every effect alive.
  /// Each effect lists every outer effect, so that the list stays complete when one outer effect is
  /// deallocated.
  let surroundings: [Surrounding]

  struct Surrounding { weak let effect: Effect? }

  /// How far the effect is: one when the queue has committed its count, and two when it has ended.
  let phase = ScheduledAtomic<UInt8>(0)

  // The queue's lock guards the properties below, except for `turn`.

  /// The task, from the effect's start until its end.
  var task: Task<Void, Never>?

  /// The number of this effect in its queue, which superseded effects have in common with all older ones.
  var number = 0

  /// Whether the policy `.atMost` lets the operation begin, which it hasn't done yet.
  var isAdmitted = false

  /// Whether a newer effect has taken this effect's place in the queue, under the policy `.newestWaiting`.
  var isReplaced = false

  /// A buffer that ends when the waiting operation is allowed to begin, or nil if the operation doesn't wait.
  ///
  /// The queue sets this property before it creates the task, and no thread changes the property afterward.
  var turn: AsyncBuffer<Never>?

  /// The suspensions of the tasks that await this effect.
  var callers: [TaskSuspension] = []

  /// Adds the current task to the callers. The caller must hold the queue's lock.
  ///
  /// - Returns: The suspension that the task has to begin before it awaits the effect.
  func addCaller() -> TaskSuspension {
    let suspension = TaskSuspension(.joining)
    callers.append(suspension)
    return suspension
  }

  init(in queue: EffectQueue, of owner: Effects) {
    (self.queue, self.owner) = (queue, ObjectIdentifier(owner))
    // A thread can call an observer on behalf of another thread, so an observer has no outer operation.
    let outer = currentThread().pointee.isDelivering ? nil : Effect.current.get()
    let remaining = outer?.surroundings.filter { $0.effect != nil } ?? []
    surroundings = outer.map { remaining + [Surrounding(effect: $0)] } ?? []
  }

  /// Returns whether this effect's operation was started inside the other effect's operation.
  func isInside(_ other: Effect) -> Bool { surroundings.contains { $0.effect === other } }

  /// Whether a newer operation or ``Effects/supersede()`` has superseded this operation.
  ///
  /// No store reduces a state that a superseded operation invokes with its effect. An operation that is cancelled, but not
  /// superseded, can still invoke states, for example to report how it ended.
  ///
  /// `supersede()` and, under ``Effects/Policy/latest``, a newer operation supersede all older operations, even those that
  /// have ended. Under ``Effects/Policy/newestWaiting``, a newer operation supersedes the one that waits.
  ///
  /// A superseded operation's task is cancelled immediately afterward, with one exception: an operation isn't cancelled if
  /// it awaits the newer one in ``Effects/perform(after:clock:isolation:fileID:line:operation:)``.
  public var isSuperseded: Bool { queue.isSuperseded(self) }
}

extension Actionable {
  /// Dispatches a state, unless the effect is superseded.
  ///
  /// So a late answer doesn't replace a newer one. The dispatcher checks the effect immediately before the reduce, while no
  /// other thread can run a reduce. If the effect is superseded during the reduce, the stores still finish the reduce, and
  /// ``Effects/run(after:clock:fileID:line:operation:)`` and ``Effects/supersede()`` wait for it.
  ///
  /// Inside a reduce, a `modify`, a ``Dispatcher/read(_:)`` or a store's initializer, the state is queued. The dispatcher
  /// then checks the effect when the queued reduce begins.
  ///
  /// An effect that is cancelled, but not superseded, can still invoke states, for example to report how it ended.
  ///
  /// - Parameters:
  ///   - state: The state to dispatch.
  ///   - effect: The effect that the operation received.
  ///   - fileID: The file of the call, which interceptors receive.
  ///   - line: The line of the call, which interceptors receive.
  /// - Returns: Whether the dispatcher has dispatched the state. If it has queued the state, the result is whether the
  ///   effect isn't superseded yet.
  @inlinable @discardableResult public func invoke(
    _ state: DispatchStateType,
    as effect: Effect,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Bool {
    recordOperation("invokes", nil, state)
    let dispatcher = dispatcher
    let thread = currentThread()
    let reduce = { (thread: CurrentThread) in
      let hasTakenTurn = dispatcher.beginTurn(on: thread)
      defer { dispatcher.endTurn(on: thread, hasTakenTurn: hasTakenTurn) }
      return effect.queue.unlessSuperseded(effect, on: dispatcher) {
        dispatcher.reduce(state, from: (fileID: fileID, line: line), on: thread)
      }
    }
    if dispatcher.mustDefer(on: thread) {
      let isDeferred = dispatcher.deferDispatch(of: DispatchStateType.self, on: thread) {
        _ = reduce($0)
      }
      return isDeferred && !effect.isSuperseded
    }
    defer { thread.deliverPlacesAndDispatch() }
    return reduce(thread)
  }
}
