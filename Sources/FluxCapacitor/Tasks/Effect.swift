/// One operation that ``Effects`` run.
///
/// The operation is called with it, and invokes its states as it: ``Actionable/invoke(_:as:fileID:line:)``.
public final class Effect: @unchecked Sendable {
  /// The effect whose operation the current task belongs to.
  static let current = TaskLocal<Effect?>(wrappedValue: nil)

  let queue: EffectQueue

  /// The effects inside whose operations this was run: weak, so that a chain of operations, each of which
  /// runs the next, isn't kept, and each by itself, so that none is lost with one in between.
  let surroundings: [Surrounding]

  struct Surrounding { private(set) weak var effect: Effect? }

  // All guarded by the queue's lock.
  @exclusivity(unchecked) var task: Task<Void, Never>?
  @exclusivity(unchecked) var isInProgress = false
  @exclusivity(unchecked) var hasBeenCancelled = false

  /// It has been superseded when the queue has a greater number.
  @exclusivity(unchecked) var number = 0

  /// Finished when it is this operation's turn, if it has to wait. Guarded by the queue's lock.
  @exclusivity(unchecked) var turn: AsyncStream<Never>.Continuation?

  init(in queue: EffectQueue) {
    self.queue = queue
    // An observer, which may be called on behalf of another thread, is inside no operation.
    let outer = CurrentThread.current.pointee.isDelivering ? nil : Effect.current.get()
    let remaining = outer?.surroundings.filter { $0.effect != nil } ?? []
    surroundings = remaining + [outer].compactMap(\.self).map(Surrounding.init)
  }

  /// Whether this was run inside the operation of another one.
  func isInside(_ other: Effect) -> Bool { surroundings.contains { $0.effect === other } }

  /// Whether another operation has superseded this one, by ``Effects/Policy/latest``: also after it has ended.
  ///
  /// To be superseded is not to be cancelled: nothing that this invokes is reduced any more, and it need
  /// not say that it has ended. The task of a superseded operation is cancelled right behind it, unless it
  /// awaits the one that supersedes it, which it has performed itself.
  public var isSuperseded: Bool { queue.isSuperseded(self) }

  @usableFromInline func unlessSuperseded(on dispatcher: Dispatcher, _ body: () -> Void) -> Bool {
    queue.unlessSuperseded(self, on: dispatcher, body)
  }
}

extension Actionable {
  /// Dispatches a state, unless the effect has been superseded.
  ///
  /// The look at whether it has, and the reduce, are one step: whoever supersedes it does so before or
  /// after that. Where a dispatch is queued, such as inside a reduce or a ``Dispatcher/read(_:)``, the look
  /// is queued with it.
  ///
  /// An effect that has been cancelled, but not superseded, may still invoke, to say that it has ended.
  ///
  /// - Parameters:
  ///   - state: The state to dispatch.
  ///   - effect: What the operation was called with.
  ///   - fileID: The file in which it is invoked, for interceptors.
  ///   - line: The line on which it is invoked, for interceptors.
  /// - Returns: Whether the state was dispatched or, if it was queued, whether the effect hasn't been superseded yet.
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
