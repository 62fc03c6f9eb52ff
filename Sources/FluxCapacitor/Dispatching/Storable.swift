/// A class that holds a part of the application's data, and changes it only by reducing states.
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

  /// Creates a store.
  ///
  /// ``instantiate()`` calls this initializer, on the first thread that requests the store.
  ///
  /// The initializer may instantiate other stores. A state that it invokes is dispatched after the store is
  /// registered. The initializer must not call ``Dispatcher/transaction(_:)`` or ``Dispatcher/read(_:)``,
  /// because another thread's reduce may be waiting for this store.
  init()

  /// Changes the store's variables in response to a state.
  ///
  /// Reduces of one dispatcher never overlap. The observers are called after the whole reduce, once for
  /// each variable that was set. A state that is invoked inside a reduce is dispatched after it.
  func reduce(with state: DispatchStateType)
}

extension Storable {
  /// Returns the single live store of this type in ``Dispatcher/shared``, and creates and registers it if
  /// there is none.
  ///
  /// If many threads call this method at the same time, `init` runs once and all of them receive the same
  /// store. The dispatcher holds the store weakly. When the last other reference is released, the store is
  /// deallocated, and the next call creates a new one.
  ///
  /// A registered store of a subclass takes the place of its superclass. If the initializers of stores
  /// instantiate each other in a cycle, the method traps with a message that names the stores.
  ///
  /// - Complexity: O(n) in the number of stores that reduce the same type of states.
  public static func instantiate() -> Self { Dispatcher.shared.registry.instantiate(Self.self) }

  /// Unregisters this store from the dispatcher that it registered with.
  ///
  /// Later states don't reach this store, and `instantiate()` creates a new one. A newer store of the same
  /// type stays registered.
  ///
  /// If another thread is dispatching a state at that moment, this store may still reduce it, even after
  /// this method has returned. Waiting for that thread could take forever.
  public func clear() {
    if Dispatcher.shared.registry.unregister(self) { return }
    _ = Registry.live.first { $0.unregister(self) }
  }
}
