/// A value that you can read, write and observe, such as `Variable(0)`. ``PrimitiveValue`` has the members.
///
/// Don't keep variables inside other variables: interceptors, test tools and logs look for variables in a store's
/// properties, but not inside another variable's value. To observe rows one by one, use a ``VariableTable``.
public typealias Variable<Element: Sendable> = PrimitiveValue<MutableTrait, Element>

/// A value that you can read and observe, but not write. ``PrimitiveValue`` has the members.
///
/// A constant that you create from a ``Variable`` is the variable's read-only side: it has the same value and the same
/// observers, and changes when the variable changes. `map`, `combine` and `removeDuplicates` return constants that are
/// computed from other values. On Apple's systems, `binding(_:)` makes a SwiftUI binding (<doc:SwiftUI>), and `publisher` a
/// Combine publisher (<doc:RxSwiftAndCombine>).
public typealias Constant<Element: Sendable> = PrimitiveValue<ImmutableTrait, Element>

/// Marks a ``Variable``, which you can read and write.
public enum MutableTrait {}

/// Marks a ``Constant``, which you can only read.
public enum ImmutableTrait {}

/// A value that calls its observers with every change: a ``Variable`` or a ``Constant``.
///
/// ```swift
/// let counter = Variable(0)
/// let shown = Constant(counter)
/// let dust = shown.observe { print($0) }  // 0
/// counter.value += 1  // 1
/// dust.clean()
/// ```
///
/// You can use and release it on any thread. A read never returns a half-written value, and a change in place, such as
/// `counter.value += 1`, is never lost. Each observer receives every change once, in the order of the writes. A reduce or a
/// transaction counts as one change.
public final class PrimitiveValue<Trait, Element: Sendable>: Sendable {
  /// A `ValueChannel` or, for a derived constant, a `DerivedChannel`.
  @usableFromInline let channel: Channel<Element>

  @inlinable init(sharing channel: Channel<Element>) { self.channel = channel }

  @inlinable deinit {
    if Trait.self == MutableTrait.self { channel.releaseReadOnlySide() }
    channel.dropHandle()
  }

  /// The current value.
  ///
  /// You can read it on any thread. Inside a reduce or a transaction, you read what your own thread has written so far. To
  /// read several values with no reduce in between, use ``Dispatcher/read(_:)``.
  ///
  /// In the body of a SwiftUI view, in `withObservationTracking` and in `Observations`, a read also tracks the constant:
  ///
  /// ```swift
  /// let count = Variable(0)
  /// let shown = Constant(count)
  /// withObservationTracking {
  ///   print(shown.value)  // 0
  /// } onChange: {
  ///   print("It will be drawn anew.")
  /// }
  /// count.value = 1  // It will be drawn anew.
  /// ```
  ///
  /// Observation is notified of the constant's next change, after the reduce or transaction that made it. You can track a
  /// derived constant that you make for this one read, as in `names.map(\.count).value`. Observation is then notified when
  /// a variable that the constant derives from changes, even if the constant's value stays the same.
  ///
  /// With `@Observable`, a body can miss a change that another thread makes while the body runs. Here, a body that runs on
  /// the main queue misses none: if a change comes before Observation has begun to wait for it, Observation is notified
  /// once more on the main queue.
  ///
  /// From the first tracked read on, the library observes the tracked variables for as long as they exist. Each change to
  /// them also takes the time that Observation needs.
  @inlinable public var value: Element {
    if channel.isDerived {
      channel.trackDerivedRead()
      return channel.derivedValue()
    }
    channel.trackRead()
    return channel.read()
  }

  /// Calls a closure with the current value, and then with every change.
  ///
  /// To end the observation, clean the ``Dust`` that this method returns, or put the Dust into a ``DustBuster``.
  ///
  /// - The first call has the current value, and the closure misses no later change. On `.current`, the first call happens
  ///   before `observe` returns. If a reduce that has changed a combination isn't over, a new observer starts with the value
  ///   that the others received last.
  /// - The closure receives each later change once, in the order of the writes. Writing an equal value is also a change;
  ///   see `removeDuplicates()`.
  /// - A reduce, a ``Dispatcher/transaction(_:)`` or a `modify` counts as one change, whose last value is delivered when
  ///   that code has ended. If another thread writes the variable before a transaction ends, its write belongs to the same
  ///   change.
  /// - Calls to one observer never overlap, and the last call has the variable's current value. The order in which several
  ///   observers are called is not specified.
  /// - No lock is held during a call, except during a first call inside a reduce, a ``Dispatcher/transaction(_:)``, a
  ///   ``Dispatcher/read(_:)``, a `modify` or a store's `init`.
  /// - The closure may read and write values, invoke states, and start or end observations. A value that it writes takes
  ///   effect immediately, but is delivered after all observers have received the current change.
  ///
  /// See <doc:Promises> for threads, order, and calls that wait.
  ///
  /// - Parameters:
  ///   - queue: The queue on which `changes` is called.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Receives each value. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation. It lasts until you clean it, or until the variable and all its constants are deallocated.
  ///   It keeps neither the variable nor its store alive. An observation of a derived constant keeps the constant's
  ///   variables alive, so it lasts until you clean it.
  /// - Complexity: O(1), with one allocation for a variable on `.current`. For a derived constant without observers, O(k · n)
  ///   if it derives from k variables through n constants.
  @_disfavoredOverload @inlinable public func observe(
    on queue: ExecuteQueue = .current,
    ignoreFirst: Bool = false,
    changes: @escaping @Sendable (Element) -> Void
  ) -> Dust {
    let observation = Observation(on: queue, changes: changes)
    if channel.isDerived {
      channel.derivedChannel.subscribeObserver(observation, on: queue, ignoreFirst: ignoreFirst)
    } else {
      channel.subscribe(observation, on: queue, ignoreFirst: ignoreFirst)
    }
    return observation
  }

  /// Calls a closure on the main actor with the current value, and then with every change.
  ///
  /// The closure is isolated to the main actor. If a change is made on the main queue and no earlier change is still
  /// waiting, the closure is called immediately. See <doc:Promises> for order, re-entrancy and the other guarantees.
  ///
  /// - Parameters:
  ///   - queue: The main queue, `.main`.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Receives each value. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation. It lasts until you clean it, or until the variable and all its constants are deallocated.
  ///   It keeps neither the variable nor its store alive. An observation of a derived constant keeps the constant's
  ///   variables alive, so it lasts until you clean it.
  /// - Complexity: O(1). For a derived constant without observers, O(k · n) if it derives from k variables through n
  ///   constants.
  @inlinable public func observe(
    on queue: ExecuteQueue.Main,
    ignoreFirst: Bool = false,
    changes: @escaping @MainActor @Sendable (Element) -> Void
  ) -> Dust {
    observe(on: ExecuteQueue.main, ignoreFirst: ignoreFirst) { value in
      MainActor.assumeIsolated { changes(value) }
    }
  }
}

extension PrimitiveValue where Trait == MutableTrait {
  /// Creates a variable with an initial value.
  @inlinable public convenience init(_ value: Element) {
    self.init(sharing: ValueChannel(value))
  }

  /// The read-only side of this variable: a constant with the same value and the same observers.
  ///
  /// A store keeps a variable private, and publishes its constant. Interceptors, test tools and logs show the variable
  /// `_count` under the name of the published property, `count`:
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
  /// You can read this property on any thread, even inside a `modify` or a change in place of any variable, and never wait
  /// for another thread. The constant is created once, and the variable keeps it. If you keep the constant, you can still
  /// read the value after the variable's deallocation.
  ///
  /// - Complexity: O(1), with one allocation for the first read.
  @inlinable public var constant: Constant<Element> { channel.readOnlySide { Constant(self) } }

  /// The current value, which you can read and write on any thread.
  ///
  /// The setter calls the observers on `.current` before it returns. If another thread is already delivering to these
  /// observers, that thread calls them instead. If you write inside an observer, a reduce, a transaction, a read, a store's
  /// `init` or the `modify` of another variable, the observers are called after that code has ended.
  ///
  /// A change in place, such as `x.value += 1` or `x.value.append(y)`, is one atomic step, and loses no other thread's
  /// write. It copies an array only if the array has another reference.
  ///
  /// > Warning: `x.value = x.value + 1` is two steps, a read and a write. If another thread writes between them, its write
  /// is lost. Use `x.value += 1` or ``modify(_:)`` instead.
  ///
  /// - Precondition: Code that runs during a change in place doesn't use the variable that is being changed. Such a use
  ///   traps.
  /// - Precondition: A change in place contains no `await`, as `await load(&x.value)` does. It traps if the function is
  ///   suspended on the main queue, or if it continues on another thread. Elsewhere, the mistake goes unnoticed, and other
  ///   threads that use the variable wait until the change has ended.
  @inlinable public var value: Element {
    get { channel.read() }
    set { channel.write(newValue) }
    _modify {
      let thread = channel.beginChangeInPlace()
      defer {
        channel.trapIfSuspended()
        channel.endMutation(on: thread)
      }
      yield &channel.value
    }
  }

  /// Reads and changes the value in one atomic step, during which no other thread reads or writes it.
  ///
  /// Use this method if what you write or return depends on the current value. For example, two threads never take the same
  /// ticket here:
  ///
  /// ```swift
  /// let tickets = Variable(["A1", "A2"])
  /// let mine = tickets.modify { $0.popLast() }
  /// print(mine ?? "Sold out")
  /// ```
  ///
  /// The body runs under the variable's lock. It may use other variables, invoke states, and clean observations of this
  /// variable. The states are dispatched, and the observers of the other variables called, after the body has ended.
  ///
  /// > Warning: Two threads can deadlock if each of them uses, in the body, the variable that the other one modifies.
  ///
  /// - Precondition: The body doesn't read, write or observe the same variable, and neither does the `deinit` of an object
  ///   that the body discards. Such a use traps. The variable's ``constant`` is available in the body.
  /// - Precondition: If the body calls ``Dispatcher/transaction(_:)`` or ``Dispatcher/read(_:)``, this thread is already
  ///   inside a reduce, a transaction or a read of that dispatcher. Otherwise, the call traps instead of waiting for the
  ///   dispatcher while the thread holds the variable's lock.
  ///
  /// - Parameter body: Changes the value. If the body throws an error, the changes that it has already made remain.
  /// - Returns: The body's result.
  @inlinable public func modify<Result, Failure: Error>(
    _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try channel.mutate(body)
  }
}

extension PrimitiveValue where Trait == ImmutableTrait {
  /// Creates the read-only side of a variable. See ``constant``.
  @inlinable public convenience init(_ variable: Variable<Element>) {
    variable.channel.addHandle()
    self.init(sharing: variable.channel)
  }
}
