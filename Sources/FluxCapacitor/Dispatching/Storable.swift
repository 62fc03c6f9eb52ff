/// A class that holds a part of the application's data, and changes it only by reducing states.
///
/// ```swift
/// final class CounterStore: Storable {
///   var count: Constant<Int> { _count.constant }
///   private let _count = Variable(0)
///
///   func reduce(with state: Dispatcher.Counter) {
///     switch state {
///     case .add(let amount): _count.value += amount
///     case .reset: _count.value = 0
///     }
///   }
/// }
/// ```
///
/// Keep the ``Variable``s of a store private, and publish each one as a ``Constant``. Declare the store `final`, and its
/// properties with `let`. A store can't be isolated to an actor, because any thread may reduce a state. Create it with
/// ``instantiate()``, and keep the result, because the dispatcher holds stores weakly.
public protocol Storable<DispatchStateType>: AnyObject, Sendable {
  /// The states that this store reduces.
  associatedtype DispatchStateType: DispatchState

  /// Creates a store. ``instantiate()`` calls this initializer, on the first thread that requests the store.
  ///
  /// The initializer can instantiate other stores. If it invokes a state, the state is queued until the new store is
  /// registered. The observers of values that it sets are called then, too.
  ///
  /// > Warning: Don't call ``Dispatcher/transaction(_:)`` or ``Dispatcher/read(_:)`` in an initializer. They trap, unless
  /// the thread is already in a reduce, a transaction or a read of the dispatcher: the thread could wait forever for
  /// another thread's reduce, which might be waiting for the new store.
  init()

  /// Changes the store's variables in response to a state.
  ///
  /// The dispatcher calls this method on the thread that dispatches the state, which can be any thread. Reduces of one
  /// dispatcher never overlap. After all stores have reduced the state, the observers are called, once for each variable
  /// that a store has set.
  ///
  /// If a reduce invokes a state, the state is queued, and reduced by the same thread after the current reduce.
  /// ``Dispatcher/shared`` is the dispatcher that reduces.
  ///
  /// > Warning: Don't wait for another thread inside a reduce. If that thread invokes a state, both threads wait forever.
  ///
  /// - Parameter state: The state to reduce.
  func reduce(with state: DispatchStateType)
}

extension Storable {
  /// Returns the single live store of this type in ``Dispatcher/shared``, and creates it if there is none.
  ///
  /// If many threads call this method at the same time, `init` runs once, and all threads receive the same store. If only a
  /// store of a subclass is registered, the method returns that store.
  ///
  /// > Warning: Keep the returned store, for example in a property. The dispatcher holds stores weakly: if nothing else
  /// holds the store, it is deallocated, later states don't reach it, and the next `instantiate()` creates a new one.
  ///
  /// - Precondition: The initializers of stores don't instantiate each other in a cycle. Otherwise, the method traps with a
  ///   message that names the stores.
  ///
  /// - Returns: The live store of this type.
  /// - Complexity: O(n) in the number of stores that reduce the same type of states.
  public static func instantiate() -> Self { instantiate(on: .shared) }

  /// Returns the single live store of this type in a dispatcher, and creates it if there is none.
  ///
  /// On a server, each session can have its own dispatcher and its own stores:
  ///
  /// ```swift
  /// final class Session: Sendable {
  ///   let dispatcher = Dispatcher()
  ///   let basket: BasketStore
  ///
  ///   init() {
  ///     basket = BasketStore.instantiate(on: dispatcher)
  ///   }
  /// }
  /// ```
  ///
  /// The guarantees are those of ``instantiate()``. While the store's `init` runs, ``Dispatcher/shared`` is the dispatcher
  /// that you pass, so the stores that the `init` instantiates belong to the same dispatcher.
  ///
  /// > Warning: Keep the returned store, because the dispatcher holds stores weakly.
  ///
  /// - Precondition: The initializers of stores don't instantiate each other in a cycle. Otherwise, the method traps with a
  ///   message that names the stores.
  ///
  /// - Parameter dispatcher: The dispatcher whose states the store reduces.
  /// - Returns: The live store of this type.
  /// - Complexity: O(n) in the number of stores that reduce the same type of states.
  public static func instantiate(on dispatcher: Dispatcher) -> Self {
    dispatcher.registry.instantiate(Self.self) {
      (withDispatcher(dispatcher) { Self() }, nil)
    }
    .store
  }

  /// Unregisters this store from its dispatcher.
  ///
  /// Later states don't reach this store, and the next call of ``instantiate()`` creates a new one:
  ///
  /// ```swift
  /// let old = CounterStore.instantiate()
  /// old.clear()
  /// let new = CounterStore.instantiate()
  /// print(new === old)  // false
  /// ```
  ///
  /// If a newer store of the same type is registered, it stays registered.
  ///
  /// > Warning: If another thread is dispatching a state during this call, this store can still reduce that state, even
  /// after this method has returned. The method doesn't wait for the other thread, because it could wait forever.
  public func clear() {
    recordOperation("clears", Self.self)
    Registry.unregister(self)
  }
}
