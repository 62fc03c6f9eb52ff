/// Does an application's work, such as a request, and invokes the states that result from it.
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

  /// Where the states are dispatched: ``Dispatcher/shared``, unless the action says otherwise.
  var dispatcher: Dispatcher { get }
}

extension Actionable {
  /// The process-wide dispatcher or, inside ``withDispatcher(_:operation:)``, the one passed to it.
  @inlinable
  public var dispatcher: Dispatcher { .shared }

  /// Dispatches a state to its registered stores.
  ///
  /// You can call it on any thread. When it returns, the state has been reduced and, unless another
  /// thread is delivering at that moment, the observers on `.current` have been called. Inside a
  /// reduce, the state is queued until that has ended. See ``Dispatcher/dispatch(_:fileID:line:)``.
  ///
  /// - Parameters:
  ///   - state: The state to dispatch.
  ///   - fileID: The file in which it is invoked, for interceptors.
  ///   - line: The line on which it is invoked, for interceptors.
  @inlinable
  public func invoke(
    _ state: DispatchStateType,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    dispatcher.dispatch(state, fileID: fileID, line: line)
  }

  /// Dispatches a state as a function of the state alone, as in `states.forEach(action.invoke)`.
  ///
  /// Interceptors don't see where it is invoked.
  @_disfavoredOverload
  @inlinable
  public func invoke(_ state: DispatchStateType) {
    dispatcher.dispatch(state)
  }

  /// Dispatches a state unless the current task has been cancelled, for results that come too late.
  ///
  /// The check of `Task.isCancelled` and the reduce are one step, in which no other state is
  /// reduced: a ``Dispatcher/transaction(_:)``, which traps where that does. So no state that is
  /// reduced after the task was cancelled is ever followed by this one. Outside a task, it is the
  /// same as ``invoke(_:)``. Inside a reduce or a ``Dispatcher/read(_:)``, where the state is
  /// queued until that has ended, the check and the reduce are not one step.
  ///
  /// See `Task(replacing:operation:)` for how to let the newest request win.
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
  ///   - state: The state to dispatch.
  ///   - fileID: The file in which it is invoked, for interceptors.
  ///   - line: The line on which it is invoked, for interceptors.
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
