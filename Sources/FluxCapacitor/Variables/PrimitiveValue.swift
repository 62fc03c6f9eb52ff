/// A value that you can read, write and observe, such as `Variable(0)`. ``PrimitiveValue`` has the members.
///
/// Interceptors, test tools and logs show the variables of a store's properties, and don't look into a variable's
/// value. So don't keep variables inside a variable. For rows that are observed one by one, use a
/// ``VariableTable``.
public typealias Variable<Element: Sendable> = PrimitiveValue<MutableTrait, Element>

/// A value that you can read and observe, but not write.
///
/// A constant that you create from a ``Variable`` is the variable's read-only side, with the same value
/// and the same observers. Its value changes when the variable changes. `map`, `combine` and `removeDuplicates`
/// return constants that are computed from other values. On Apple's systems, `binding(_:)` makes a SwiftUI binding
/// (<doc:SwiftUI>), and `publisher` a Combine publisher (<doc:RxSwiftAndCombine>). ``PrimitiveValue`` has the members.
public typealias Constant<Element: Sendable> = PrimitiveValue<ImmutableTrait, Element>

/// The trait of a ``Variable``, whose value can be read and written.
public enum MutableTrait {}

/// The trait of a ``Constant``, whose value can only be read.
public enum ImmutableTrait {}

/// A value that notifies observers of its changes.
///
/// A ``Variable`` can be read and written, and a ``Constant`` can only be read. You can use and release a
/// variable or constant on any thread. A read never returns a half-written value. A change in place, such
/// as `counter.value += 1`, is never lost.
///
/// Each observer receives each change once, in the order of the writes. A reduce or a transaction counts
/// as one change.
///
/// ```swift
/// let counter = Variable(0)
/// let shown = Constant(counter)
/// let dust = shown.observe { print($0) }  // 0
/// counter.value += 1  // 1
/// dust.clean()
/// ```
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
  /// Inside a reduce or a transaction, a read returns the values that the same thread has written so
  /// far. To read several values with no reduce in between, use ``Dispatcher/read(_:)``.
  ///
  /// Observation tracks a constant that you read inside `withObservationTracking`, in the body of a
  /// SwiftUI view, or in `Observations`. Observation is notified of the constant's next change, after
  /// the reduce or transaction that made the change. A derived constant is tracked even if you make it for
  /// this one read, as in `names.map(\.count).value`: Observation is notified when one of the variables that
  /// the constant derives from changes, also if the constant's value then stays the same.
  ///
  /// A body that runs on the main queue misses no change of any thread, as it would with `@Observable`. If the
  /// change comes before Observation has begun to wait for it, Observation is notified once more on the main queue.
  ///
  /// From the first tracked read on, the library observes these variables for as long as they exist. Each
  /// change to a tracked variable also takes the time that Observation needs.
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
  /// - The closure receives the current value first, and misses no later change. On `.current`, the
  ///   first call happens before `observe` returns. If a derived constant has other observers, the first value
  ///   is the value that they received last.
  /// - The closure receives each later change once, in the order of the writes. A write is a change even if the
  ///   new value equals the old one; see `removeDuplicates()`. If you call `observe` during another thread's reduce,
  ///   the first observer of a derived constant receives its next value when the reduce has ended.
  /// - A reduce, a ``Dispatcher/transaction(_:)`` or a `modify` counts as one change. The last value is
  ///   delivered when the reduce, transaction or `modify` has ended. If another thread writes
  ///   the variable before the transaction ends, its write belongs to the same change.
  /// - Calls to one observer never overlap. An observer's last call has the variable's current value. The order of
  ///   several observers is not specified.
  /// - No lock is held during a call. The exception is the first call, if you call `observe` inside a reduce,
  ///   a ``Dispatcher/transaction(_:)``, a ``Dispatcher/read(_:)``, a `modify` or a store's `init`.
  /// - The closure may read and write values, invoke states, and start or end observations. A value that
  ///   the closure writes takes effect immediately. The new value is delivered after all observers of
  ///   the current change have been called.
  ///
  /// See <doc:Promises> for threads, order, and calls that wait.
  ///
  /// - Parameters:
  ///   - queue: The queue on which `changes` is called.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Receives each value. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation, which lasts until you clean it, or until the variable and all its
  ///   constants are deallocated. The observation keeps neither the variable nor its store alive. An
  ///   observation of a derived constant keeps the variables upstream alive, so it lasts until you clean
  ///   it.
  /// - Complexity: O(1), with one allocation for a variable on `.current`. For a derived constant
  ///   without observers, O(n) in the number of constants and variables upstream.
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
  /// The closure is isolated to the main actor. If a change is made on the main queue and no earlier
  /// change is still waiting, the closure is called immediately. See <doc:Promises> for order,
  /// re-entrancy and the other guarantees.
  ///
  /// - Parameters:
  ///   - queue: The main queue, `.main`.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Receives each value. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation, which lasts until you clean it, or until the variable and all its
  ///   constants are deallocated. The observation keeps neither the variable nor its store alive. An
  ///   observation of a derived constant keeps the variables upstream alive, so it lasts until you clean
  ///   it.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the number of constants and
  ///   variables upstream.
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
  /// A store keeps a variable private, and publishes the variable's constant. Interceptors, test tools and
  /// logs call the variable `_count` by the name of the published property, `count`:
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
  /// You can read this property on any thread, also inside a `modify` or a change in place of any variable. The
  /// read waits for no other thread. The constant is created once, and the variable keeps it. If you keep the
  /// constant, the value remains readable after the variable's deallocation.
  ///
  /// - Complexity: O(1), with one allocation for the first read.
  @inlinable public var constant: Constant<Element> { channel.readOnlySide { Constant(self) } }

  /// The current value.
  ///
  /// The setter calls the observers on `.current` before it returns. If another thread is delivering to
  /// these observers, that thread calls the observers instead. If you write inside an observer, a reduce,
  /// a transaction, a read, a store's `init` or the `modify` of another variable, the observers are called after that code
  /// has ended.
  ///
  /// A change in place, such as `x.value += 1` or `x.value.append(y)`, is one atomic step. A change in
  /// place loses no other thread's write. A change in place copies an array only if the array has
  /// another reference.
  ///
  /// > Warning: `x.value = x.value + 1` is two steps, a read and a write, and not atomic. A write by
  /// > another thread between the two steps is lost. Use `x.value += 1` or ``modify(_:)`` instead.
  ///
  /// - Precondition: Code that runs during a change in place doesn't use the changed variable. Using a
  ///   variable inside its own change traps.
  /// - Precondition: A change in place contains no `await`, as `await load(&x.value)` does. Such a change
  ///   traps if the function is suspended on the main queue, or if it continues on another thread. Elsewhere, the change
  ///   goes unnoticed: other threads that use the variable wait for its end.
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

  /// Reads and changes the value in one atomic step, during which no other thread reads or writes the
  /// value.
  ///
  /// The body runs under the variable's lock. The body may use other variables and invoke states.
  /// Observers of the other variables are called after the body, and the states are dispatched after the
  /// body. The body may also clean observations of this variable.
  ///
  /// > Warning: Two threads can deadlock if they read, write or observe each other's variable in the body.
  ///
  /// - Precondition: Neither the body nor the `deinit` of an object that the body discards reads, writes or observes the
  ///   same variable. Such a use traps. The variable's ``constant`` is available in the body.
  /// - Precondition: If the body calls ``Dispatcher/transaction(_:)`` or ``Dispatcher/read(_:)``, this
  ///   thread is already inside a reduce, a transaction or a read of that dispatcher. Otherwise, the
  ///   call traps instead of waiting for the dispatcher while the thread holds the variable's lock.
  ///
  /// ```swift
  /// let tickets = Variable(["A1", "A2"])
  /// let mine = tickets.modify { $0.popLast() }
  /// print(mine ?? "Sold out")
  /// ```
  ///
  /// - Parameter body: Changes the value. If the body throws an error, the changes that it has already
  ///   made remain.
  /// - Returns: The body's result.
  @inlinable public func modify<Result, Failure: Error>(
    _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try channel.mutate(body)
  }
}

extension PrimitiveValue where Trait == ImmutableTrait {
  /// Creates a constant that publishes a variable's value.
  @inlinable public convenience init(_ variable: Variable<Element>) {
    variable.channel.addHandle()
    self.init(sharing: variable.channel)
  }
}
