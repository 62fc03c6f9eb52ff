/// The states that can be dispatched to one kind of store by one kind of action: usually an enum.
///
/// It links the two through its typealiases, and neither knows the other. Both must point back at
/// it, or it does not compile.
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
