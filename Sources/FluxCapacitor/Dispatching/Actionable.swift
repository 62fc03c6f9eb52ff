/// A type that does an application's work, such as a request, and invokes the resulting states.
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

  /// The dispatcher of the states, which is ``Dispatcher/shared`` unless the action declares another one.
  var dispatcher: Dispatcher { get }
}

extension Actionable {
  /// The process-wide dispatcher or, inside ``withDispatcher(_:operation:)``, its replacement.
  @inlinable public var dispatcher: Dispatcher { .shared }

  /// Dispatches a state to its registered stores.
  ///
  /// You can call this method on any thread. When it returns, the stores have reduced the state. Inside a
  /// reduce, the state is queued until the reduce has ended. For observers and for calls in other places,
  /// see ``Dispatcher/dispatch(_:fileID:line:)``.
  ///
  /// - Parameters:
  ///   - state: The state to dispatch.
  ///   - fileID: The file of the call, for interceptors.
  ///   - line: The line of the call, for interceptors.
  @inlinable public func invoke(
    _ state: DispatchStateType,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    dispatcher.dispatch(state, fileID: fileID, line: line)
  }

  /// Dispatches a state without the source location of the call.
  ///
  /// Use this overload as a function of the state alone, as in `states.forEach(action.invoke)`.
  /// Interceptors don't see the location of the call.
  @_disfavoredOverload @inlinable public func invoke(_ state: DispatchStateType) {
    dispatcher.dispatch(state)
  }
}
