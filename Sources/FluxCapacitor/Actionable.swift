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
  /// is queued until that has ended. See ``Dispatcher/dispatch(_:)``.
  @inlinable
  public func invoke(_ state: DispatchStateType) {
    dispatcher.dispatch(state)
  }
}
