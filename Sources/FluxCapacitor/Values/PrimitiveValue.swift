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
/// lost, and every observer is called with every change once, in the order of the writes.
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
  /// Inside a reduce or a transaction, the thread that runs it sees what it has written so far. To
  /// read several values with no reduce in between, use ``Dispatcher/read(_:)``.
  ///
  /// Reading a constant inside `withObservationTracking`, and so in the body of a SwiftUI view or in
  /// `Observations`, tracks it: Observation is notified of its next change, after the reduce or
  /// transaction that made it. From then on, the constant is observed for as long as it exists, and
  /// each change costs what Observation takes.
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
  /// - The closure is always called with the current value first, and no change is missed after that.
  ///   On `.current`, this first call happens before `observe` returns.
  /// - Every later change is delivered once, in the order of the writes. An observer that subscribes to
  ///   a derived constant while a change is being delivered may receive one value twice.
  /// - A reduce, a ``Dispatcher/transaction(_:)`` or a `modify` counts as one change, which is delivered
  ///   when it has ended. If another thread overwrites its value before that, only the overwriting
  ///   value is delivered.
  /// - Calls to one observer never overlap, and the last one has the variable's value.
  /// - No lock is held during a call. The closure may read, write, invoke, observe and clean
  ///   anything. What it writes takes effect immediately, and is delivered after the observers of
  ///   the current change have been called.
  ///
  /// - Parameters:
  ///   - queue: Where `changes` is called.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Called with each value, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called or the value is
  ///   deallocated; it keeps neither the variable nor its store alive. That of a derived constant keeps
  ///   the variables it derives from alive, and so lasts until its `clean()`.
  /// - Complexity: O(1); one allocation, for a variable on `.current`. For a derived constant that nobody
  ///   observes yet, O(n) in the constants and variables that it derives from.
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
  /// It is the same as the other `observe`, with a closure that is isolated to the main actor. If
  /// the change is made on the main queue, and no earlier one is still on its way there, the
  /// closure is called immediately.
  ///
  /// - Parameters:
  ///   - queue: `.main`.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Called with each value, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called or the value is
  ///   deallocated; it keeps neither the variable nor its store alive.
  /// - Complexity: That of the other `observe`.
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
  /// Setting it calls the observers on `.current` before it returns, unless another thread is
  /// delivering to them at that moment. Inside an observer, a reduce or a transaction, they are
  /// called when that has ended. Changing it in place, as in `variable.value += 1` and
  /// `variable.value.append(x)`, loses no other thread's change and copies nothing. Using the same
  /// variable during such a change traps.
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
  /// The body runs under the variable's lock. It may use other variables, whose observers are
  /// called after it, and invoke states, which are dispatched after it. Two threads that mutate two
  /// variables inside each other's mutation, in opposite orders, deadlock. Using the same variable
  /// in the body traps, even from the deinit of something that the body discards. So does a
  /// ``Dispatcher/transaction(_:)`` or ``Dispatcher/read(_:)``, which would wait while holding the
  /// lock. Cleaning an observation of the variable is fine.
  ///
  /// ```swift
  /// let tickets = Variable(["A1", "A2"])
  /// let mine = tickets.modify { $0.popLast() }
  /// print(mine ?? "Sold out")
  /// ```
  ///
  /// - Parameter body: Changes the value. If it throws, what it has changed by then remains.
  /// - Returns: What the body returns.
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
