/// The states, usually the cases of an enum, that one type of action invokes and one type of store reduces.
///
/// The type aliases connect the action and the store, which don't know each other. Both of them must point
/// back at the state, or the code doesn't compile.
///
/// ```swift
/// extension Dispatcher {
///   enum Counter: DispatchState {
///     typealias RelatedStoreType = CounterStore
///     typealias RelatedActionType = CounterAction
///
///     case add(Int)
///     case reset
///   }
/// }
/// ```
public protocol DispatchState: Sendable {
  /// The store that reduces these states.
  associatedtype RelatedStoreType: Storable
  where RelatedStoreType.DispatchStateType == Self

  /// The action that invokes these states.
  associatedtype RelatedActionType: Actionable
  where RelatedActionType.DispatchStateType == Self
}
