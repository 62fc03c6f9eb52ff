import Synchronization

/// Routes each state to the stores that are registered for its type.
///
/// Actions and stores use the process's dispatcher, ``shared``, by default. To give a test its own
/// dispatcher, use ``init()`` and ``withDispatcher(_:operation:)``.
///
/// A dispatcher reduces one state at a time, no matter how many threads invoke. All observers and
/// interceptors see the reduces in the same order. <doc:Concurrency> lists the guarantees.
public final class Dispatcher: Sendable {
  @usableFromInline let registry: Registry

  /// Creates a dispatcher with no stores.
  public init() { registry = Registry() }

  private init(_ registry: Registry) { self.registry = registry }

  deinit { registry.setLive(false) }

  /// Dispatches a state to every live store that is registered for its type, in the order of their
  /// registration.
  ///
  /// You can call this method on any thread. When it returns, the stores have reduced the state. The
  /// observers on `.current` have been called, once for each variable that was set, unless another thread
  /// is delivering at that moment. Calls in these places differ:
  ///
  /// - Inside a reduce, the body of a `modify`, a ``read(_:)`` or a store's initializer, the dispatcher
  ///   queues the state until that code has ended.
  /// - Inside a ``transaction(_:)``, the dispatcher reduces the state immediately. The observers are called
  ///   after the transaction.
  /// - Inside an observer, the dispatcher reduces the state immediately. The observers of the new change
  ///   are called after the observers of the current one.
  ///
  /// A state that reaches no store is not an error.
  ///
  /// - Parameters:
  ///   - state: The state to dispatch.
  ///   - fileID: The file of the call, for interceptors.
  ///   - line: The line of the call, for interceptors.
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

  /// Dispatches a state without the source location of the call.
  ///
  /// Use this overload as a function of the state alone, as in `states.forEach(dispatcher.dispatch)`.
  /// Interceptors don't see the location of the call.
  @_disfavoredOverload @inlinable public func dispatch<State: DispatchState>(_ state: State) {
    dispatch(state, fileID: #fileID, line: #line)
  }

  /// Dispatches a recorded state, and ignores the states that this thread invokes meanwhile.
  ///
  /// The recording contains those states too.
  package func replay(_ state: some DispatchState) {
    let thread = CurrentThread.current
    // Inside a reduce, a mutation, a read or an initializer, the state is deferred like any other.
    if mustDefer(on: thread) { return dispatch(state) }
    thread.pointee.replaying = ObjectIdentifier(registry)
    thread.pointee.dispatchDeferrals += 1
    reduce(state, from: (#fileID, #line), on: thread)
    thread.settle()
    thread.pointee.dispatchDeferrals -= 1
    thread.pointee.replaying = nil
    thread.finish()
  }

  /// Calls a closure as a transaction, which turns its writes into one change.
  ///
  /// After the transaction, the observers of each variable are called once, with its last value. No reduce
  /// of this dispatcher overlaps the transaction. Inside another transaction or a reduce, the closure joins
  /// the outer one. If the closure throws, the values that it has written remain, and are delivered.
  ///
  /// If an open transaction of another dispatcher writes the same variable, both transactions are delivered
  /// as one change when the last of them ends.
  ///
  /// The method traps inside a mutation of a variable and inside the initializer of a store, where waiting
  /// for another thread's reduce could take forever. It doesn't trap if this thread is already in a reduce,
  /// a transaction or a read of this dispatcher. If two threads nest transactions of two dispatchers in
  /// opposite orders, they deadlock.
  ///
  /// - Returns: The result of the closure.
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

  /// Calls a closure that reads several constants, with no reduce in between.
  ///
  /// Without this method, a thread that reads several constants may find another thread's reduce half done,
  /// even inside an observer. States that the closure invokes are dispatched after it. The method traps in
  /// the same places as ``transaction(_:)``.
  ///
  /// - Returns: The result of the closure.
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

  /// Unregisters every store.
  ///
  /// Later states don't reach these stores, and `instantiate()` creates new ones.
  public func unregisterAll() { registry.unregisterAll() }
}

// MARK: - Shared

extension Dispatcher {
  /// The process-wide dispatcher or, inside ``withDispatcher(_:operation:)``, its replacement.
  public static var shared: Dispatcher {
    let shortcut = PendingWork.shortcut.load(ordering: .acquiring)
    guard shortcut > PendingWork.isReplaced, let address = UnsafeRawPointer(bitPattern: shortcut)
    else {
      return sharedByLookUp
    }
    // This is the address of `ofProcess`, which is never released.
    return Unmanaged.fromOpaque(address).takeUnretainedValue()
  }

  private static var sharedByLookUp: Dispatcher {
    let address = UInt(bitPattern: Unmanaged.passUnretained(ofProcess).toOpaque())
    _ = PendingWork.shortcut.compareExchange(expected: 0, desired: address, ordering: .releasing)
    // Only `withDispatcher` sets the replacement, and always to a dispatcher.
    let replacement = PendingWork.replacement.get()
    return replacement.map { unsafeDowncast($0, to: Dispatcher.self) } ?? ofProcess
  }

  static let ofProcess = Dispatcher(Registry(pendingWork: .ofProcess))

}

extension Dispatcher: PendingWorkOwner {
  /// The work in progress on behalf of this dispatcher.
  package var pendingWork: PendingWork { registry.pendingWork }
}

/// Replaces ``Dispatcher/shared`` in the current task while an operation runs.
///
/// Tests that replace the dispatcher can run in parallel, each with its own stores. Child tasks of the
/// operation, and tasks that it creates with `Task { … }`, inherit the replacement.
///
/// > Warning: Code in detached tasks and on dispatch queues doesn't inherit the replacement, and uses the
/// process-wide dispatcher.
///
/// ```swift
/// let count = withDispatcher(Dispatcher()) {
///   let store = CounterStore.instantiate()
///   CounterAction().invoke(.add(2))
///   return store.count.value
/// }
/// print(count)  // 2
/// ```
///
/// - Parameters:
///   - dispatcher: The dispatcher that ``Dispatcher/shared`` returns while the operation runs.
///   - operation: The closure to run with the replacement.
/// - Returns: The result of the operation.
public func withDispatcher<Result>(
  _ dispatcher: Dispatcher,
  operation: () throws -> Result
) rethrows -> Result {
  PendingWork.shortcut.store(PendingWork.isReplaced, ordering: .relaxed)
  return try PendingWork.replacement.withValue(dispatcher, operation: operation)
}

/// Replaces ``Dispatcher/shared`` in the current task while an asynchronous operation runs.
///
/// Child tasks of the operation, and tasks that it creates with `Task { … }`, inherit the replacement.
///
/// > Warning: Code in detached tasks and on dispatch queues doesn't inherit the replacement, and uses the
/// process-wide dispatcher.
///
/// ```swift
/// let count = await withDispatcher(Dispatcher()) {
///   let store = CounterStore.instantiate()
///   await Task { CounterAction().invoke(.add(2)) }.value
///   return store.count.value
/// }
/// print(count)  // 2
/// ```
///
/// - Parameters:
///   - dispatcher: The dispatcher that ``Dispatcher/shared`` returns while the operation runs.
///   - isolation: The actor on which this function runs, which is the caller's actor by default.
///   - operation: The closure to run with the replacement.
/// - Returns: The result of the operation.
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
