/// An object that notes when a store might have changed, for a library that saves the store.
///
/// Only the first change after `reset(on:)` calls a closure, so that watching costs a dispatch almost nothing. Time
/// travel always calls the closure.
@usableFromInline package final class StoreWatcher: @unchecked Sendable {
  @usableFromInline package enum Change: Sendable {
    /// The store has reduced a state.
    case reduce

    /// A transaction, or the reduce of another store, begins or ends. It might change the store.
    case transaction

    /// A time travel, which might change the store, is about to begin.
    case travel

    /// The time travel is over.
    case endOfTravel
  }

  // The dispatcher's turn guards the two properties below.

  /// Whether the store might have changed since the last `reset(on:)`.
  @exclusivity(unchecked) @usableFromInline var hasChanged = false

  /// Whether the store has reduced a state since the last `reset(on:)`. A reduce says more than a transaction, so it's noted
  /// even after one.
  @exclusivity(unchecked) @usableFromInline var hasReduced = false

  private let didNote: @Sendable (Change) -> Void

  /// Creates a watcher. The thread that calls the closure holds the dispatcher's turn.
  package init(didNote: @escaping @Sendable (Change) -> Void) { self.didNote = didNote }

  /// Notes a change. The caller must hold the dispatcher's turn.
  @inlinable func note(_ change: Change) {
    if change == .reduce ? !hasReduced : !hasChanged || change != .transaction { noteFirst(change) }
  }

  @usableFromInline func noteFirst(_ change: Change) {
    hasChanged = true
    hasReduced = change == .reduce
    didNote(change)
  }

  /// Lets the next change call the closure again. The caller must hold the turn of the store's dispatcher.
  package func reset(on dispatcher: Dispatcher?) {
    (hasChanged, hasReduced) = (false, false)
    dispatcher?.registry.isWatched.store(true, ordering: .relaxed)
  }
}
