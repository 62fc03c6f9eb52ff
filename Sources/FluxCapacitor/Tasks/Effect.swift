/// One operation that ``Effects`` run.
///
/// The operation receives its effect as a parameter, and invokes states with it. See
/// ``Actionable/invoke(_:as:fileID:line:)``.
public final class Effect: @unchecked Sendable {
  /// The effect of the operation that the current task belongs to, if there is one.
  static let current = TaskLocal<Effect?>(wrappedValue: nil)

  let queue: EffectQueue

  /// The effects of the operations inside which this effect was run.
  ///
  /// The references are weak, so that a chain of operations, each of which runs the next one, isn't kept
  /// alive. Each effect lists all of them, so that the list stays complete when an effect in between is
  /// deallocated.
  let surroundings: [Surrounding]

  struct Surrounding { private(set) weak var effect: Effect? }

  // All guarded by the queue's lock.
  @exclusivity(unchecked) var task: Task<Void, Never>?
  @exclusivity(unchecked) var isInProgress = false
  @exclusivity(unchecked) var hasBeenCancelled = false

  /// The effect's number.
  ///
  /// The effect is superseded when the queue's newest number is greater.
  @exclusivity(unchecked) var number = 0

  /// The continuation of a stream that ends when a waiting operation may begin. Guarded by the queue's
  /// lock.
  @exclusivity(unchecked) var turn: AsyncStream<Never>.Continuation?

  init(in queue: EffectQueue) {
    self.queue = queue
    // An observer may be called on behalf of another thread, so it counts as outside of all operations.
    let outer = CurrentThread.current.pointee.isDelivering ? nil : Effect.current.get()
    let remaining = outer?.surroundings.filter { $0.effect != nil } ?? []
    surroundings = remaining + [outer].compactMap(\.self).map(Surrounding.init)
  }

  /// Returns whether this effect was run inside another effect's operation.
  func isInside(_ other: Effect) -> Bool { surroundings.contains { $0.effect === other } }

  /// Whether a newer operation has superseded this one, under ``Effects/Policy/latest``.
  ///
  /// This also applies to an operation that has already ended. States that a superseded operation invokes
  /// are not reduced, so it needn't report its end. By contrast, an operation that is only cancelled may
  /// still invoke states.
  ///
  /// The task of a superseded operation is cancelled immediately afterward. The only exception is an
  /// operation that has performed the newer one, because it awaits that operation.
  public var isSuperseded: Bool { queue.isSuperseded(self) }

  @usableFromInline func unlessSuperseded(on dispatcher: Dispatcher, _ body: () -> Void) -> Bool {
    queue.unlessSuperseded(self, on: dispatcher, body)
  }
}

extension Actionable {
  /// Dispatches a state, unless the effect has been superseded.
  ///
  /// The check and the reduce are one step, so the effect is superseded either before or after both. If the
  /// dispatch is queued, for example inside a reduce or a ``Dispatcher/read(_:)``, the check is queued with
  /// it.
  ///
  /// An effect that is cancelled, but not superseded, may still invoke states, for example to report its
  /// end.
  ///
  /// - Parameters:
  ///   - state: The state to dispatch.
  ///   - effect: The effect that the operation received.
  ///   - fileID: The file of the call, for interceptors.
  ///   - line: The line of the call, for interceptors.
  /// - Returns: Whether the state was dispatched or, if it was queued, whether the effect isn't superseded
  ///   yet.
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
