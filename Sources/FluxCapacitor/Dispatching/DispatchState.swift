/// The states, usually the cases of an enum, that one type of action invokes and one type of store reduces.
///
/// Two type aliases name the related store and the related action. The store and the action don't refer to
/// each other. The code compiles only if the store and the action name this type as their
/// `DispatchStateType`.
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
  /// The type of the store that reduces these states.
  associatedtype RelatedStoreType: Storable
  where RelatedStoreType.DispatchStateType == Self

  /// The type of the action that invokes these states.
  ///
  /// If the states need no methods of their own, omit this type alias, and invoke the states with an
  /// ``Invoker``.
  associatedtype RelatedActionType: Actionable = Invoker<Self>
  where RelatedActionType.DispatchStateType == Self
}
