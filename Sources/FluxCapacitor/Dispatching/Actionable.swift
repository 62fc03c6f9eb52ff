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
@preconcurrency public protocol Actionable<DispatchStateType>: Sendable {
  /// The states that this action invokes.
  associatedtype DispatchStateType: DispatchState

  /// Where the states are dispatched: ``Dispatcher/shared``, unless the action says otherwise.
  var dispatcher: Dispatcher { get }
}

extension Actionable {
  /// The process-wide dispatcher or, inside ``withDispatcher(_:operation:)``, the one passed to it.
  @inlinable public var dispatcher: Dispatcher { .shared }

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
  @inlinable public func invoke(
    _ state: DispatchStateType,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    dispatcher.dispatch(state, fileID: fileID, line: line)
  }

  /// Dispatches a state as a function of the state alone, as in `states.forEach(action.invoke)`.
  ///
  /// Interceptors don't see where it is invoked.
  @_disfavoredOverload @inlinable public func invoke(_ state: DispatchStateType) {
    dispatcher.dispatch(state)
  }
}
