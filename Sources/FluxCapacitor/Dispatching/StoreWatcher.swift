/// An object that notes when a store might have changed, for a library that saves the store.
///
/// The dispatcher notes a change after each reduce of the store, and after each transaction. Only the first
/// change after `reset()` calls a closure, so that watching costs a dispatch almost nothing.
@usableFromInline package final class StoreWatcher: @unchecked Sendable {
  /// Whether the store might have changed since the last `reset()`, guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var hasChanged = false

  private let didChange: @Sendable (_ isReduce: Bool) -> Void

  /// A closure to call before time travel, or nil if time travel is a change like any other.
  let willTravel: (@Sendable () -> Void)?

  /// Creates a watcher. The thread that calls the closures holds the dispatcher's turn.
  ///
  /// - Parameters:
  ///   - didChange: A closure to call at the first change after `reset()`. Its argument is false if the
  ///     change is a transaction or time travel.
  ///   - willTravel: A closure to call before time travel. If the argument is nil, the watcher notes time
  ///     travel as a change.
  package init(
    didChange: @escaping @Sendable (_ isReduce: Bool) -> Void,
    willTravel: (@Sendable () -> Void)? = nil
  ) {
    self.didChange = didChange
    self.willTravel = willTravel
  }

  /// Notes that the store might have changed. The caller must hold the dispatcher's turn.
  @inlinable func noteChange(isReduce: Bool) {
    if !hasChanged { noteFirstChange(isReduce: isReduce) }
  }

  @usableFromInline func noteFirstChange(isReduce: Bool) {
    hasChanged = true
    didChange(isReduce)
  }

  /// Lets the next change call `didChange` again. The caller must hold the dispatcher's turn.
  package func reset() { hasChanged = false }
}
