/// What brings states about: it does the work, and invokes the states that come of it.
///
/// ```swift
/// final class CounterAction: Actionable {
///   typealias DispatchStateType = Dispatcher.Counter
///
///   func add(_ amount: Int) {
///     invoke(.add(amount))
///   }
/// }
/// ```
@preconcurrency
public protocol Actionable<DispatchStateType>: Sendable {
  /// The states that this action invokes.
  associatedtype DispatchStateType: DispatchState

  /// Where they are dispatched: ``Dispatcher/shared`` unless the action says otherwise.
  var dispatcher: Dispatcher { get }
}

extension Actionable {
  /// The dispatcher of the process or, inside ``withDispatcher(_:operation:)``, the one given there.
  @inlinable
  public var dispatcher: Dispatcher { .shared }

  /// Dispatches a state to its registered stores.
  ///
  /// It may be called on any thread. When it returns, the state has been reduced and, unless another
  /// thread is delivering just then, the observers on `.current` have been told; inside a reduce it
  /// is queued until that has ended. See ``Dispatcher/dispatch(_:fileID:line:)``.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - fileID: Where it is invoked, for interceptors.
  ///   - line: Where it is invoked, for interceptors.
  @inlinable
  public func invoke(
    _ state: DispatchStateType,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    dispatcher.dispatch(state, fileID: fileID, line: line)
  }

  /// The same as a function of the state alone, as in `states.forEach(action.invoke)`: interceptors do
  /// not learn where.
  @_disfavoredOverload
  @inlinable
  public func invoke(_ state: DispatchStateType) {
    dispatcher.dispatch(state)
  }

  /// Dispatches a state, unless the task that asks has been cancelled: for results that came too late.
  ///
  /// The look at `Task.isCancelled` and the reduce are one step, in which no other state is reduced:
  /// a ``Dispatcher/transaction(_:)``, which traps where that does. So what is reduced after the task
  /// was cancelled is never followed by this state. Outside a task, it is the same as ``invoke(_:)``;
  /// inside a reduce or a ``Dispatcher/read(_:)``, where the state is queued until that has ended,
  /// it is not one step.
  ///
  /// See `Task(replacing:operation:)` for how the newest request wins with it.
  ///
  /// ```swift
  /// struct SlowCounterAction: Actionable {
  ///   typealias DispatchStateType = Dispatcher.Counter
  ///
  ///   func add(_ amount: @escaping @Sendable () async -> Int) -> Task<Void, Never> {
  ///     Task {
  ///       let amount = await amount()
  ///       invokeUnlessCancelled(.add(amount))
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - fileID: Where it is invoked, for interceptors.
  ///   - line: Where it is invoked, for interceptors.
  /// - Returns: Whether the state was dispatched.
  @discardableResult
  @inlinable
  public func invokeUnlessCancelled(
    _ state: DispatchStateType,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Bool {
    let dispatcher = dispatcher
    return dispatcher.transaction {
      if Task.isCancelled { return false }
      dispatcher.dispatch(state, fileID: fileID, line: line)
      return true
    }
  }
}
