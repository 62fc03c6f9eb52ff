import Synchronization

extension Dispatcher {
  /// The process-wide dispatcher or, inside ``withDispatcher(_:operation:)``, the one that was passed to that function.
  ///
  /// A closure that you pass to the library, such as an observer, later sees the dispatcher that was shared when you passed
  /// it, whichever thread calls it. A reduce sees the dispatcher that reduces. <doc:Threads> has an example.
  public static var shared: Dispatcher {
    let shortcut = shortcut.load(ordering: .acquiring)
    guard !Surroundings.isEverReplaced.load(ordering: .relaxed),
      let address = UnsafeRawPointer(bitPattern: shortcut)
    else {
      return sharedByLookUp
    }
    // The address belongs to `ofProcess`, which is never released.
    return Unmanaged.fromOpaque(address).takeUnretainedValue()
  }

  private static var sharedByLookUp: Dispatcher {
    let address = UInt(bitPattern: Unmanaged.passUnretained(ofProcess).toOpaque())
    _ = shortcut.compareExchange(expected: 0, desired: address, ordering: .releasing)
    // The downcast is safe, because only `withDispatcher` sets the replacement, and always to a
    // dispatcher.
    let replacement = Surroundings.ofTask.get()
    return replacement.map { unsafeDowncast($0, to: Dispatcher.self) } ?? ofProcess
  }

  /// The address of the process's dispatcher, or zero before the dispatcher is created.
  ///
  /// Until code replaces that dispatcher for the first time, finding it requires no read of a `TaskLocal`, which takes
  /// longer than all other steps. Threads store the address with release ordering and load it with acquire ordering. So
  /// a thread that loads the address finds the dispatcher initialized.
  private static let shortcut = Atomic<UInt>(0)

  static let ofProcess = Dispatcher(
    Registry(pendingWork: .ofProcess, reportingUnreachedStates: true),
    isOfProcess: true
  )
}

extension Dispatcher: PendingWorkOwner {
  /// The work in progress on behalf of this dispatcher.
  package var pendingWork: PendingWork { registry.pendingWork }
}

/// Replaces ``Dispatcher/shared`` in the current task while an operation runs.
///
/// So tests can run in parallel, each with its own stores:
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
/// Child tasks of the operation, and tasks that it creates with `Task { … }`, inherit the replacement.
///
/// > Warning: Detached tasks and dispatch queues of your own don't inherit it, and use the process-wide dispatcher.
///
/// - Parameters:
///   - dispatcher: The dispatcher that ``Dispatcher/shared`` returns while the operation runs.
///   - operation: The closure to run with the replacement.
/// - Returns: The operation's result.
public func withDispatcher<Result>(
  _ dispatcher: Dispatcher,
  operation: () throws -> Result
) rethrows -> Result {
  if dispatcher === Dispatcher.shared { return try operation() }
  return try dispatcher.beShared(during: operation)
}

/// Replaces ``Dispatcher/shared`` in the current task while an asynchronous operation runs.
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
/// Child tasks of the operation, and tasks that it creates with `Task { … }`, inherit the replacement.
///
/// > Warning: Detached tasks and dispatch queues of your own don't inherit it, and use the process-wide dispatcher.
///
/// - Parameters:
///   - dispatcher: The dispatcher that ``Dispatcher/shared`` returns while the operation runs.
///   - isolation: The actor on which this function runs, which is the caller's actor by default.
///   - operation: The closure to run with the replacement.
/// - Returns: The operation's result.
public func withDispatcher<Result>(
  _ dispatcher: Dispatcher,
  isolation: isolated (any Actor)? = #isolation,
  operation: () async throws -> Result
) async rethrows -> Result {
  if dispatcher === Dispatcher.shared { return try await operation() }
  Surroundings.isEverReplaced.store(true, ordering: .relaxed)
  return try await Surroundings.ofTask.withValue(
    dispatcher,
    operation: operation,
    isolation: isolation
  )
}
