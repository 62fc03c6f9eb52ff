/// A type that does an application's work, such as a network request, and invokes the resulting states.
///
/// ```swift
/// final class CounterAction: Actionable {
///   typealias DispatchStateType = Dispatcher.Counter
///
///   func increment() {
///     invoke(.add(1))
///   }
/// }
/// ```
///
/// An action can be a structure or a final class, and can be isolated to the main actor. Its asynchronous work runs in an
/// ``Effects`` of the store, so you can create an action wherever you need one. For states that need no other work, use an
/// ``Invoker`` instead.
@preconcurrency public protocol Actionable<DispatchStateType>: Sendable {
  /// The states that this action invokes.
  associatedtype DispatchStateType: DispatchState

  /// The dispatcher that receives this action's states.
  ///
  /// By default, it's ``Dispatcher/shared``. To use another dispatcher for some calls, use ``on(_:)``. To always use
  /// another one, declare this property in the action.
  var dispatcher: Dispatcher { get }
}

extension Actionable {
  /// The process-wide dispatcher or, inside ``withDispatcher(_:operation:)``, the one that was passed to that function.
  @inlinable public var dispatcher: Dispatcher { .shared }

  /// Dispatches a state to the stores that are registered for its type.
  ///
  /// You can call this method on any thread. When it returns, the stores have reduced the state. The exception: inside a
  /// reduce, a `modify`, a ``Dispatcher/read(_:)`` or a store's `init`, the state is queued, and reduced when that code has
  /// ended. ``Dispatcher/dispatch(_:fileID:line:)`` says when observers are called, and why a state might reach no store.
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
  /// Use this overload where a function with one parameter is expected, as in `states.forEach(action.invoke)`. Interceptors
  /// then receive a location in FluxCapacitor's own sources.
  ///
  /// - Parameter state: The state to dispatch.
  @_disfavoredOverload @inlinable public func invoke(_ state: DispatchStateType) {
    dispatcher.dispatch(state)
  }
}

/// An action for states that need no work other than their dispatch.
///
/// Declare the states, and invoke one:
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
///
/// An extension adds methods for one type of states. Here, a type alias also names the action:
///
/// ```swift
/// typealias BasketAction = Invoker<Dispatcher.Basket>
///
/// extension Invoker<Dispatcher.Basket> {
///   func add(_ item: Item) { invoke(.add(item)) }
/// }
/// ```
///
/// If your server has a dispatcher for each session, pass it to the action:
///
/// ```swift
/// BasketAction(on: session.dispatcher).add(item)
/// ```
public struct Invoker<State: DispatchState>: Actionable {
  /// The states that the action invokes.
  public typealias DispatchStateType = State

  @usableFromInline let ownDispatcher: Dispatcher?

  /// Creates an action that invokes each state on whatever ``Dispatcher/shared`` is at that time.
  @inlinable public init() { ownDispatcher = nil }

  /// Creates an action that always invokes states on the same dispatcher, on any thread and in any task.
  ///
  /// - Parameter dispatcher: The dispatcher, which the action keeps alive.
  @inlinable public init(on dispatcher: Dispatcher) { ownDispatcher = dispatcher }

  /// The dispatcher that you passed to ``init(on:)``, or else ``Dispatcher/shared``.
  @inlinable public var dispatcher: Dispatcher { ownDispatcher ?? .shared }
}

extension Actionable {
  /// Returns this action for use on a dispatcher.
  ///
  /// Call the result with a closure that uses the action. The closure runs inside ``withDispatcher(_:operation:)``, so the
  /// action needs no ``dispatcher`` property:
  ///
  /// ```swift
  /// let shop = ShopAction(api: api).on(session.dispatcher)
  /// shop { $0.add(item) }
  /// await shop { await $0.refresh() }
  /// ```
  ///
  /// Tasks and effects that the action starts also use the dispatcher, and its ``Dispatcher/settled()`` waits for the
  /// effects.
  ///
  /// > Warning: Detached tasks and completion handlers on other threads see the process-wide dispatcher instead. If your
  /// action needs them, declare its own ``dispatcher`` property, which this method doesn't change.
  ///
  /// - Parameter dispatcher: The dispatcher, which the result keeps alive.
  /// - Returns: A value that you call with a closure, on any thread.
  public func on(_ dispatcher: Dispatcher) -> DispatcherAction<Self> {
    DispatcherAction(action: self, dispatcher: dispatcher)
  }
}

/// An action together with the dispatcher on which it works.
///
/// ``Actionable/on(_:)`` returns this value. Call it with a closure that uses the action.
public struct DispatcherAction<Action: Actionable>: Sendable {
  let action: Action
  let dispatcher: Dispatcher

  /// Calls a closure with the action, while ``Dispatcher/shared`` is the dispatcher.
  ///
  /// The closure runs on the calling thread, before this method returns.
  ///
  /// - Parameter body: The closure that uses the action.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  public func callAsFunction<Value, Failure: Error>(
    _ body: (Action) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try withDispatcher(dispatcher) { Result { () throws(Failure) in try body(action) } }.get()
  }

  /// Calls an asynchronous closure with the action, while ``Dispatcher/shared`` is the dispatcher.
  ///
  /// The closure runs in the calling task, before this method returns.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which this method runs, which is the caller's actor by default.
  ///   - body: The closure that uses the action.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  public func callAsFunction<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Action) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await withDispatcher(dispatcher) { () async -> Result<Value, Failure> in
      do throws(Failure) { return .success(try await body(action)) } catch {
        return .failure(error)
      }
    }
    .get()
  }
}
