/// A set of states, usually an enum, that one kind of action invokes and one kind of store reduces.
///
/// Its typealiases link the two, neither of which knows the other. Both the store and the action
/// must point back at the state, or the code doesn't compile.
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
