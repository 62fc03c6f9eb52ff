import Synchronization

/// Routes each state to the stores that are registered for its type.
///
/// A process has one, ``shared``, which actions and stores use by default; ``init()`` and
/// ``withDispatcher(_:operation:)`` give a test its own. A dispatcher reduces one state at a time,
/// however many threads invoke, and everyone sees the same order.
public final class Dispatcher: Sendable {
  @usableFromInline let registry: Registry

  /// Creates a dispatcher with no stores.
  public init() { registry = Registry() }

  private init(_ registry: Registry) { self.registry = registry }

  deinit { registry.setLive(false) }

  /// Dispatches a state to every live store that is registered for its type, in the order of their
  /// registration.
  ///
  /// You can call it on any thread. When it returns, the state has been reduced and, unless another
  /// thread is delivering at that moment, the observers on `.current` have been called, once for
  /// each variable that was set.
  ///
  /// - Inside a reduce, the body of a `modify`, a ``read(_:)`` or the initializer of a store, the
  ///   state is queued until that has ended.
  /// - Inside a ``transaction(_:)``, it is reduced immediately, and observers are called when the
  ///   transaction has ended.
  /// - Inside an observer, it is reduced immediately, and its observers are called after those of
  ///   the current change.
  ///
  /// A state that reaches no store is not an error.
  ///
  /// - Parameters:
  ///   - state: The state to dispatch.
  ///   - fileID: The file in which it is dispatched, for interceptors.
  ///   - line: The line on which it is dispatched, for interceptors.
  @inlinable public func dispatch<State: DispatchState>(
    _ state: State,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let thread = CurrentThread.current
    let place = (fileID: fileID, line: line)
    if mustDefer(on: thread) {
      _ = deferDispatch(of: State.self, on: thread) { self.reduce(state, from: place, on: $0) }
    } else {
      reduce(state, from: place, on: thread)
      thread.finish()
    }
  }

  /// Dispatches a state as a function of the state alone, as in
  /// `states.forEach(dispatcher.dispatch)`.
  ///
  /// Interceptors don't see where it is dispatched.
  @_disfavoredOverload @inlinable public func dispatch<State: DispatchState>(_ state: State) {
    dispatch(state, fileID: #fileID, line: #line)
  }

  /// Dispatches a state, but nothing that this thread invokes meanwhile: that was recorded too.
  package func replay(_ state: some DispatchState) {
    let thread = CurrentThread.current
    // Inside a reduce and the like, it is deferred like any other dispatch.
    if mustDefer(on: thread) { return dispatch(state) }
    thread.pointee.replaying = ObjectIdentifier(registry)
    thread.pointee.dispatchDeferrals += 1
    reduce(state, from: (#fileID, #line), on: thread)
    thread.settle()
    thread.pointee.dispatchDeferrals -= 1
    thread.pointee.replaying = nil
    thread.finish()
  }

  /// Makes the writes in a closure one change: observers are called after it, once for each
  /// variable, with the last value.
  ///
  /// No reduce of this dispatcher overlaps it. Nested in another transaction or in a reduce, it
  /// joins that one. If the closure throws, what it has written by then remains, and is delivered.
  /// If a transaction of another dispatcher is open at the same time, and both write the same variable,
  /// they are delivered as one change when the last of them ends.
  ///
  /// Inside a mutation of a variable or the initializer of a store, where waiting for another
  /// thread's reduce could take forever, it traps, unless this thread is already in a reduce, a
  /// transaction or a read of this dispatcher. Two threads that nest transactions of two
  /// dispatchers in opposite orders deadlock.
  ///
  /// - Returns: What the closure returns.
  @inlinable public func transaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let thread = CurrentThread.current
    let hasTakenTurn = beginTurn(on: thread)
    defer {
      endTurn(on: thread, hasTakenTurn: hasTakenTurn)
      thread.finish()
    }
    return try body()
  }

  /// Reads several constants with no reduce in between.
  ///
  /// Otherwise, a thread that reads one constant after another may find another thread's reduce
  /// half done, even inside one of its own observers. What the closure invokes is dispatched after
  /// it. It traps where ``transaction(_:)`` does.
  ///
  /// - Returns: What the closure returns.
  @inlinable public func read<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let thread = CurrentThread.current
    return try transaction { () throws(Failure) in
      thread.pointee.dispatchDeferrals += 1
      defer { thread.pointee.dispatchDeferrals -= 1 }
      return try body()
    }
  }

  /// Unregisters every store: no state reaches them any more, and `instantiate()` creates new ones.
  public func unregisterAll() { registry.unregisterAll() }
}

// MARK: - Shared

extension Dispatcher {
  /// The process-wide dispatcher or, inside ``withDispatcher(_:operation:)``, the one passed to it.
  public static var shared: Dispatcher {
    let shortcut = PendingWork.shortcut.load(ordering: .acquiring)
    guard shortcut > PendingWork.isReplaced, let address = UnsafeRawPointer(bitPattern: shortcut)
    else {
      return sharedByLookUp
    }
    // It is the address of `ofProcess`, which is never released.
    return Unmanaged.fromOpaque(address).takeUnretainedValue()
  }

  private static var sharedByLookUp: Dispatcher {
    let address = UInt(bitPattern: Unmanaged.passUnretained(ofProcess).toOpaque())
    _ = PendingWork.shortcut.compareExchange(expected: 0, desired: address, ordering: .releasing)
    // Only `withDispatcher` binds it, and always to a dispatcher.
    let replacement = PendingWork.replacement.get()
    return replacement.map { unsafeDowncast($0, to: Dispatcher.self) } ?? ofProcess
  }

  static let ofProcess = Dispatcher(Registry(pendingWork: .ofProcess))

}

extension Dispatcher: PendingWorkOwner {
  /// The work in progress on behalf of this dispatcher.
  package var pendingWork: PendingWork { registry.pendingWork }
}

/// Replaces the shared dispatcher while an operation runs, in the current task and its child tasks.
///
/// With it, tests can run in parallel, each with its own stores. Work that leaves the task, on a
/// dispatch queue or in a detached task, uses the process-wide dispatcher again.
///
/// ```swift
/// let count = withDispatcher(Dispatcher()) {
///   let store = CounterStore.instantiate()
///   CounterAction().invoke(.add(2))
///   return store.count.value
/// }
/// print(count)  // 2
/// ```
public func withDispatcher<Result>(
  _ dispatcher: Dispatcher,
  operation: () throws -> Result
) rethrows -> Result {
  PendingWork.shortcut.store(PendingWork.isReplaced, ordering: .relaxed)
  return try PendingWork.replacement.withValue(dispatcher, operation: operation)
}

/// Replaces the shared dispatcher while an asynchronous operation runs, in the current task and its
/// child tasks.
///
/// The operation runs on the caller's actor. See the synchronous overload for an example.
public func withDispatcher<Result>(
  _ dispatcher: Dispatcher,
  isolation: isolated (any Actor)? = #isolation,
  operation: () async throws -> Result
) async rethrows -> Result {
  PendingWork.shortcut.store(PendingWork.isReplaced, ordering: .relaxed)
  return try await PendingWork.replacement.withValue(
    dispatcher,
    operation: operation,
    isolation: isolation
  )
}
