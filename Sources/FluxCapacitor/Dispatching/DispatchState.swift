/// Messages, usually the cases of an enum, that actions invoke and stores reduce.
///
/// A type alias names one store that reduces these states, and an optional second one names one action that
/// invokes them. The compiler checks that both have this type as their `DispatchStateType`. Any number of
/// other stores may reduce these states, and any number of other actions may invoke them.
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
  /// The type of one store that reduces these states.
  associatedtype RelatedStoreType: Storable
  where RelatedStoreType.DispatchStateType == Self

  /// The type of one action that invokes these states.
  ///
  /// This type alias is optional, and lets the compiler check the action. Without it, the type is ``Invoker``,
  /// which invokes states that need no other work.
  associatedtype RelatedActionType: Actionable = Invoker<Self>
  where RelatedActionType.DispatchStateType == Self
}
