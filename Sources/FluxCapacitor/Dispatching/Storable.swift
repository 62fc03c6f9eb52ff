/// Holds a part of the application's data, and changes it only by reducing states.
///
/// A store keeps its ``Variable``s private and publishes them as ``Constant``s.
///
/// ```swift
/// final class CounterStore: Storable {
///   let count: Constant<Int>
///   private let _count = Variable(0)
///
///   init() {
///     count = Constant(_count)
///   }
///
///   func reduce(with state: Dispatcher.Counter) {
///     switch state {
///     case .add(let amount): _count.value += amount
///     case .reset: _count.value = 0
///     }
///   }
/// }
/// ```
public protocol Storable<DispatchStateType>: AnyObject, Sendable {
  /// The states that this store reduces.
  associatedtype DispatchStateType: DispatchState

  /// Creates a store; ``instantiate()`` calls this, on the first thread that asks for the store.
  ///
  /// It may instantiate other stores. A state that it invokes is dispatched once the store is
  /// registered. It must not call `transaction` or `read`, because another thread's reduce may be
  /// waiting for this store.
  init()

  /// Changes the store's variables in response to a state.
  ///
  /// Reduces of one dispatcher never overlap. Observers are called when the whole reduce has ended,
  /// once for each variable that was set. States that are invoked inside a reduce are dispatched
  /// after it.
  func reduce(with state: DispatchStateType)
}

extension Storable {
  /// Returns the one live store of this type in ``Dispatcher/shared``, after creating and
  /// registering it if there is none.
  ///
  /// However many threads ask at the same time, `init` runs once and all of them get the same
  /// store. The dispatcher holds the store weakly: when the last other reference is released, the
  /// store is deallocated, and the next call creates a new one. A registered store of a subclass
  /// stands in for its superclass. Stores whose initializers instantiate each other in a cycle
  /// trap, with a message that names them.
  ///
  /// - Complexity: O(n) in the number of stores that reduce the same type of states.
  public static func instantiate() -> Self { Dispatcher.shared.registry.instantiate(Self.self) }

  /// Unregisters this store from the dispatcher that it registered with.
  ///
  /// No state that is dispatched later reaches it, and `instantiate()` creates a new store. A newer
  /// store of the same type is left alone.
  ///
  /// A state that another thread is dispatching at that moment may still be reduced, even after
  /// this returns, because waiting for that thread could take forever.
  public func clear() {
    if Dispatcher.shared.registry.unregister(self) { return }
    _ = Registry.live.first { $0.unregister(self) }
  }
}
