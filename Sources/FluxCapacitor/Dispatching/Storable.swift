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

  /// Makes a store; ``instantiate()`` calls this, on the thread that asks first.
  ///
  /// It may instantiate other stores. A state that it invokes is dispatched when the store is
  /// registered. It may not call `transaction` or `read`, for another thread's reduce may be waiting
  /// for this very store.
  init()

  /// Changes the store's variables by one state.
  ///
  /// Reduces of one dispatcher never overlap. Observers are told when the whole reduce has ended,
  /// once for each variable that was set, and what is invoked inside is dispatched after it.
  func reduce(with state: DispatchStateType)
}

extension Storable {
  /// The one live store of this type in ``Dispatcher/shared``, made and registered if there is none.
  ///
  /// However many threads ask at once, `init` runs once and all get the same store. The dispatcher
  /// holds it weakly: with the last other reference it is gone, and the next call makes a fresh one.
  /// A registered store of a subclass stands in for its parent. A cycle of stores whose inits
  /// instantiate each other traps and names them.
  ///
  /// - Complexity: O(n) in the number of stores on the same type of states.
  public static func instantiate() -> Self {
    Dispatcher.shared.registry.instantiate(Self.self)
  }

  /// Unregisters this very store from the dispatcher that it registered with: no state reaches it
  /// any more, and `instantiate()` makes a fresh one. A newer store is left alone.
  ///
  /// That is so of each state that is dispatched later. One that another thread is dispatching just then may
  /// still be reduced, behind the return of this too, for to wait for that thread could last for ever.
  public func clear() {
    Dispatcher.unregister(self)
  }
}
