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
