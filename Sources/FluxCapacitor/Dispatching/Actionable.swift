/// A type that does an application's work, such as a network request, and invokes the resulting states.
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

  /// The dispatcher that receives this action's states.
  ///
  /// By default, this property returns ``Dispatcher/shared``. To use a different dispatcher, declare this
  /// property in the action.
  var dispatcher: Dispatcher { get }
}

extension Actionable {
  /// The process-wide dispatcher or, inside ``withDispatcher(_:operation:)``, the dispatcher passed to that
  /// function.
  @inlinable public var dispatcher: Dispatcher { .shared }

  /// Dispatches a state to the stores that are registered for its type.
  ///
  /// You can call this method on any thread. When the method returns, the stores have reduced the state.
  /// Inside a reduce, the dispatcher queues the state until the reduce has ended.
  /// ``Dispatcher/dispatch(_:fileID:line:)`` describes when observers are called, and the usual reason why a
  /// state reaches no store.
  ///
  /// - Parameters:
  ///   - state: The state to dispatch.
  ///   - fileID: The file of the call, which interceptors receive.
  ///   - line: The line of the call, which interceptors receive.
  @inlinable public func invoke(
    _ state: DispatchStateType,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    dispatcher.dispatch(state, fileID: fileID, line: line)
  }

  /// Dispatches a state without the source location of the call.
  ///
  /// Use this overload where a function with one parameter is expected, as in
  /// `states.forEach(action.invoke)`. Interceptors receive a location in FluxCapacitor's own sources instead
  /// of the caller's location.
  ///
  /// - Parameter state: The state to dispatch.
  @_disfavoredOverload @inlinable public func invoke(_ state: DispatchStateType) {
    dispatcher.dispatch(state)
  }
}

/// An action without methods of its own, for states that need no other work.
///
/// ```swift
/// extension Dispatcher {
///   enum Theme: DispatchState {
///     typealias RelatedStoreType = ThemeStore
///
///     case use(String)
///   }
/// }
/// ```
///
/// ```swift
/// Invoker<Dispatcher.Theme>().invoke(.use("dark"))
/// ```
public struct Invoker<State: DispatchState>: Actionable {
  /// The states that the action invokes.
  public typealias DispatchStateType = State

  /// Creates an action that invokes states on ``Dispatcher/shared``.
  public init() {}
}
