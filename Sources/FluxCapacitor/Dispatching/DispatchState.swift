/// Messages, usually the cases of an enum, that actions invoke and stores reduce.
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
///
/// A type alias names one store that reduces these states. An optional second one names one action that invokes them. The
/// compiler checks that both have this type as their `DispatchStateType`. Any number of other stores may reduce these
/// states, and any number of other actions invoke them.
public protocol DispatchState: Sendable {
  /// The type of one store that reduces these states, or ``NoStore`` for states that change no data.
  associatedtype RelatedStoreType: Storable
  where RelatedStoreType.DispatchStateType == Self

  /// The type of one action that invokes these states.
  ///
  /// This type alias is optional, and lets the compiler check the action. Without it, the type is ``Invoker``, the action
  /// for states that need no other work.
  associatedtype RelatedActionType: Actionable = Invoker<Self>
  where RelatedActionType.DispatchStateType == Self
}

/// The related store of states that change no data, such as a request to show a page.
///
/// Such states reach observers and interceptors, and never count as unreached:
///
/// ```swift
/// extension Dispatcher {
///   enum Route: DispatchState {
///     typealias RelatedStoreType = NoStore<Self>
///
///     case showSettings
///   }
/// }
/// ```
///
/// ```swift
/// Dispatcher.shared.observe(Dispatcher.Route.self) { state in
///   print(state)  // showSettings
/// }
/// .cleaned(by: dustBuster)
/// Invoker<Dispatcher.Route>().invoke(.showSettings)
/// ```
///
/// Don't instantiate this class: its reduce does nothing.
public final class NoStore<State: DispatchState>: Storable {
  /// The states that need no store.
  public typealias DispatchStateType = State

  /// Creates a store that does nothing.
  public init() {}

  /// Does nothing.
  public func reduce(with _: State) {}
}
