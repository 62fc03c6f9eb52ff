/// An object that notes when a store might have changed, for a library that saves the store.
///
/// Only the first change after `reset()` calls a closure, so that watching costs a dispatch almost nothing. Time
/// travel always calls the closure.
@usableFromInline package final class StoreWatcher: @unchecked Sendable {
  @usableFromInline package enum Change: Sendable {
    /// The store has reduced a state.
    case reduce

    /// A transaction, which might have changed the store, is ending.
    case transaction

    /// A time travel, which might change the store, is about to begin.
    case travel
  }

  /// Whether the store might have changed since the last `reset()`, guarded by the dispatcher's turn.
  @exclusivity(unchecked) @usableFromInline var hasChanged = false

  private let didNote: @Sendable (Change) -> Void

  /// Creates a watcher. The thread that calls the closure holds the dispatcher's turn.
  package init(didNote: @escaping @Sendable (Change) -> Void) { self.didNote = didNote }

  /// Notes a change. The caller must hold the dispatcher's turn.
  @inlinable func note(_ change: Change) {
    if !hasChanged || change == .travel { noteFirst(change) }
  }

  @usableFromInline func noteFirst(_ change: Change) {
    hasChanged = true
    didNote(change)
  }

  /// Lets the next change call the closure again. The caller must hold the dispatcher's turn.
  package func reset() { hasChanged = false }
}
