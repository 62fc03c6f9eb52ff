/// A value that can be read and written.
public typealias Variable<Element: Sendable> = PrimitiveValue<MutableTrait, Element>

/// The read-only side of a ``Variable``: the same value, the same observers.
public typealias Constant<Element: Sendable> = PrimitiveValue<ImmutableTrait, Element>

/// Marks a value that can be read and written: a ``Variable``.
public enum MutableTrait {}

/// Marks a value that can only be read: a ``Constant``.
public enum ImmutableTrait {}

/// An observable value: a ``Variable``, or a ``Constant`` that publishes a variable's value.
///
/// You can read, write, observe and release it on any thread. Reads never tear, writes are never
/// lost, and every observer receives every change once, in the order of the writes.
///
/// ```swift
/// let counter = Variable(0)
/// let shown = Constant(counter)
/// let dust = shown.observe { print($0) }  // 0
/// counter.value += 1  // 1
/// dust.clean()
/// ```
public final class PrimitiveValue<Trait, Element: Sendable>: Sendable {
  /// A `ValueChannel` or, for a derived constant, a `ComputedChannel`.
  @usableFromInline let channel: Channel<Element>

  @inlinable init(sharing channel: Channel<Element>) { self.channel = channel }

  @inlinable deinit { channel.dropHandle() }

  /// The current value.
  ///
  /// Inside a reduce or a transaction, the thread that runs it reads the values that it has written
  /// so far. To read several values with no reduce in between, use ``Dispatcher/read(_:)``.
  ///
  /// Reading a constant inside `withObservationTracking`, and so in the body of a SwiftUI view or
  /// in `Observations`, tracks it. Observation is notified of the next change, after the reduce or
  /// transaction that made it. From then on, the constant is observed for as long as it exists, and
  /// each change also takes the time that Observation needs.
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
    if TrackingDetector.isActive { return trackedValue() }
    return channel.isDerived ? channel.computedValue() : channel.read()
  }

  /// Calls a closure with the current value, and then with every change.
  ///
  /// - The closure receives the current value first, and misses no change after that. On
  ///   `.current`, this first call happens before `observe` returns.
  /// - The closure receives each later change once, in the order of the writes. An observer that
  ///   subscribes to a derived constant while a change is being delivered may receive one value
  ///   twice.
  /// - A reduce, a ``Dispatcher/transaction(_:)`` or a `modify` counts as one change, which is
  ///   delivered when it has ended. If another thread overwrites its value before that, only the
  ///   overwriting value is delivered.
  /// - Calls to one observer never overlap, and the last one has the variable's value.
  /// - No lock is held during a call. The closure may read, write, invoke, observe and clean
  ///   anything. A value that it writes takes effect immediately, and is delivered after the
  ///   observers of the current change have been called.
  ///
  /// See <doc:Concurrency> for threads, order, and calls that wait.
  ///
  /// - Parameters:
  ///   - queue: Where `changes` is called.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Called with each value, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called or the value is
  ///   deallocated. It keeps neither the variable nor its store alive. An observation of a derived
  ///   constant keeps the variables upstream alive, and so lasts until its `clean()`.
  /// - Complexity: O(1), with one allocation for a variable on `.current`. For a derived constant
  ///   without observers, O(n) in the constants and variables that it derives from.
  @_disfavoredOverload @inlinable public func observe(
    on queue: ExecuteQueue = .current,
    ignoreFirst: Bool = false,
    changes: @escaping @Sendable (Element) -> Void
  ) -> Dust {
    let observation = Observation(on: queue, changes: changes)
    if channel.isDerived {
      channel.computed.subscribeObserver(observation, on: queue, ignoreFirst: ignoreFirst)
    } else {
      channel.subscribe(observation, on: queue, ignoreFirst: ignoreFirst)
    }
    return observation
  }

  /// Calls a closure on the main actor with the current value, and then with every change.
  ///
  /// The closure is isolated to the main actor. If a change is made on the main queue, and no
  /// earlier one is still on its way there, the closure is called immediately. See
  /// <doc:Concurrency> for order, re-entrancy and the other guarantees.
  ///
  /// - Parameters:
  ///   - queue: `.main`.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Called with each value, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called or the value is
  ///   deallocated. It keeps neither the variable nor its store alive. An observation of a derived
  ///   constant keeps the variables upstream alive, and so lasts until its `clean()`.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
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

  /// The current value.
  ///
  /// Setting it calls the observers on `.current` before the setter returns, unless another thread
  /// is delivering to them at that moment. Inside an observer, a reduce or a transaction, the
  /// observers are called after it has ended.
  ///
  /// Changing the value in place, as in `variable.value += 1` and `variable.value.append(x)`, loses
  /// no other thread's change and copies nothing. Using the same variable during such a change
  /// traps.
  @inlinable public var value: Element {
    get { channel.read() }
    set { channel.write(newValue) }
    _modify {
      let thread = channel.beginMutation()
      defer {
        channel.trapIfSuspended()
        channel.endMutation(on: thread)
      }
      yield &channel.value
    }
  }

  /// Reads and changes the value in one step, during which no other thread reads or writes it.
  ///
  /// The body runs under the variable's lock. It may use other variables and invoke states: their
  /// observers are called after the body, and the states are dispatched after it. Cleaning an
  /// observation of the variable is fine.
  ///
  /// Using the same variable in the body traps, even in the deinit of an object that the body
  /// discards. A ``Dispatcher/transaction(_:)`` or ``Dispatcher/read(_:)`` in the body traps too, unless
  /// this thread is inside one already: it would wait while holding the lock. Two threads deadlock if they nest the mutations
  /// of two variables in opposite orders.
  ///
  /// ```swift
  /// let tickets = Variable(["A1", "A2"])
  /// let mine = tickets.modify { $0.popLast() }
  /// print(mine ?? "Sold out")
  /// ```
  ///
  /// - Parameter body: Changes the value. If it throws, the changes that it has made remain.
  /// - Returns: The body's result.
  @inlinable public func modify<Result, Failure: Error>(
    _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try channel.mutate(body)
  }
}

extension PrimitiveValue where Trait == ImmutableTrait {
  /// Creates the read-only side of a variable.
  @inlinable public convenience init(_ variable: Variable<Element>) {
    variable.channel.addHandle()
    self.init(sharing: variable.channel)
  }
}
